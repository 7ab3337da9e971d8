/** How scripts that pages load are judged: interfaces for an application's own, and modest ones. */
@NullMarked
package dev.holdfast.http.analysis;

import org.jspecify.annotations.NullMarked;
