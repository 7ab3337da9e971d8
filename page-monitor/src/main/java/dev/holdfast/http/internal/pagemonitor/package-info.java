/** Page monitoring of a zone: settings, the resources that pages load, and policies. */
@NullMarked
package dev.holdfast.http.internal.pagemonitor;

import org.jspecify.annotations.NullMarked;
