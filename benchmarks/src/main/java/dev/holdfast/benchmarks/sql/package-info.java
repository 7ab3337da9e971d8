/** Statements, and statements without end. */
@NullMarked
package dev.holdfast.benchmarks.sql;

import org.jspecify.annotations.NullMarked;
