/** Peers that are linked into the program that uses them. */
@NullMarked
package dev.holdfast.benchmarks.compare.inprocess;

import org.jspecify.annotations.NullMarked;
