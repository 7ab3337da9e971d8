/** A long run at a steady load, and whether anything grows. */
@NullMarked
package dev.holdfast.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
