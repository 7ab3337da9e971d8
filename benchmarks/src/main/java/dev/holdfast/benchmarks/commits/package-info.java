/** Durable commits, the journal alone, and the cost of keeping the past. */
@NullMarked
package dev.holdfast.benchmarks.commits;

import org.jspecify.annotations.NullMarked;
