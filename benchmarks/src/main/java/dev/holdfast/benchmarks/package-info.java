/** JMH benchmarks and load drivers, each beside a peer. */
@NullMarked
package dev.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
