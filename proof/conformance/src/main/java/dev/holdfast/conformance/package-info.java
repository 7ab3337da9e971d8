/**
 * Replays the recorded behaviour of the reference runtime, and reports where this runtime differs.
 *
 * <p>{@link dev.holdfast.conformance.Recordings} reads case files, {@link
 * dev.holdfast.conformance.Replay} runs each case on a real object on each engine, {@link
 * dev.holdfast.conformance.TranscriptComparison} compares the result with the recording, and {@link
 * dev.holdfast.conformance.Deviations} has the intended differences.
 */
@NullMarked
package dev.holdfast.conformance;

import org.jspecify.annotations.NullMarked;
