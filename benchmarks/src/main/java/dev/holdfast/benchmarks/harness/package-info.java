/** Rounds, callers and reports: what every topic uses. */
@NullMarked
package dev.holdfast.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
