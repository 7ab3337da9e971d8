/** The HTTP API under load. */
@NullMarked
package dev.holdfast.benchmarks.http;

import org.jspecify.annotations.NullMarked;
