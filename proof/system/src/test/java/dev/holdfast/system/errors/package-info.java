/** Failures from outside, as an application sees them: typed and complete errors, and no loss. */
@NullMarked
package dev.holdfast.system.errors;

import org.jspecify.annotations.NullMarked;
