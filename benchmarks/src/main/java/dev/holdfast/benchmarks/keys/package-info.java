/** Keys and values: puts, lists, and their encoding. */
@NullMarked
package dev.holdfast.benchmarks.keys;

import org.jspecify.annotations.NullMarked;
