/**
 * The bytes of the format: its tags, numbers and strings, written to a sink and read from a source.
 */
@NullMarked
package dev.holdfast.clone.codec.bytes;

import org.jspecify.annotations.NullMarked;
