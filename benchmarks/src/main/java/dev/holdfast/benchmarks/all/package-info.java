/** All judged topics in one run. */
@NullMarked
package dev.holdfast.benchmarks.all;

import org.jspecify.annotations.NullMarked;
