/** Calls in memory, durable calls and chains of calls. */
@NullMarked
package dev.holdfast.benchmarks.calls;

import org.jspecify.annotations.NullMarked;
