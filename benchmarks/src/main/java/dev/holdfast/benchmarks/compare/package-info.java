/** {@code ./holdfast bench compare}: Holdfast and every peer in one run. */
@NullMarked
package dev.holdfast.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
