/** Page monitoring of a zone: settings, what pages load, policies. */
@NullMarked
package dev.holdfast.http.internal.pagemonitor;

import org.jspecify.annotations.NullMarked;
