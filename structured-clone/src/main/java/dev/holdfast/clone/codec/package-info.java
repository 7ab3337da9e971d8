/**
 * Writes, reads and copies values: {@link dev.holdfast.clone.codec.StructuredClone}. The table of
 * the package {@code dev.holdfast.clone} says how Java and JavaScript values correspond.
 */
@NullMarked
package dev.holdfast.clone.codec;

import org.jspecify.annotations.NullMarked;
