/**
 * Replays what the reference runtime was seen to do, and tells where this one does otherwise.
 *
 * <p>{@link dev.holdfast.conformance.Recordings} reads case files, {@link
 * dev.holdfast.conformance.Replay} takes each case to a real object on each engine, {@link
 * dev.holdfast.conformance.TranscriptComparison} holds what came of it against the recording, and
 * {@link dev.holdfast.conformance.Deviations} knows which differences are on purpose.
 */
@NullMarked
package dev.holdfast.conformance;

import org.jspecify.annotations.NullMarked;
