/**
 * The rows that a statement reads and writes, computed from its compiled program.
 *
 * <p>The door is {@link dev.holdfast.backend.sqlite.meter.RowCounter}. A plan makes a {@link
 * dev.holdfast.backend.sqlite.meter.ProgramMeter} once; it makes a counter for each execution.
 * {@link dev.holdfast.backend.sqlite.meter.RowCounter#NONE} counts nothing.
 */
@NullMarked
package dev.holdfast.backend.sqlite.meter;

import org.jspecify.annotations.NullMarked;
