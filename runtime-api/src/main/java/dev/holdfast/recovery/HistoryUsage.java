package dev.holdfast.recovery;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The disk space of the journal of a runtime, with the history it keeps.
 *
 * @param bytes the size of all segments, including those that a crash recovery needs, with their
 *     indexes and the files that wait to become segments
 * @param bytesMax the cap on the segments alone, {@link
 *     dev.holdfast.RuntimeOptions#historyBytesMax}
 * @param oldest the time since which every change of every object is kept; null if there is none
 */
public record HistoryUsage(long bytes, long bytesMax, @Nullable Instant oldest) {}
