/** The values of the recordings: from tagged JSON to Java values, and from these to a text. */
@NullMarked
package dev.holdfast.conformance.value;

import org.jspecify.annotations.NullMarked;
