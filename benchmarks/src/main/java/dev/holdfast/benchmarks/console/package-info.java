/** What the console costs. */
@NullMarked
package dev.holdfast.benchmarks.console;

import org.jspecify.annotations.NullMarked;
