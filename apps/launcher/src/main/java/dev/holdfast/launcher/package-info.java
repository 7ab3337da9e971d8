/** The framework of {@code ./holdfast}: a verb with its options, and the errors that end it. */
@NullMarked
package dev.holdfast.launcher;

import org.jspecify.annotations.NullMarked;
