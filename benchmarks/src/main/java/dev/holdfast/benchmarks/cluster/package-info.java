/** {@code ./holdfast bench cluster}: several nodes, beside one machine and beside their peers. */
@NullMarked
package dev.holdfast.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
