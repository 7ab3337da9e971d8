/** The runtime that is measured, and its objects. */
@NullMarked
package dev.holdfast.benchmarks.objects;

import org.jspecify.annotations.NullMarked;
