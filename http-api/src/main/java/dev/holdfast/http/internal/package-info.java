/** The bounds of the module, in one place. */
@NullMarked
package dev.holdfast.http.internal;

import org.jspecify.annotations.NullMarked;
