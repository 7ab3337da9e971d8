/** Activation of objects and recovery of directories. */
@NullMarked
package dev.holdfast.benchmarks.openings;

import org.jspecify.annotations.NullMarked;
