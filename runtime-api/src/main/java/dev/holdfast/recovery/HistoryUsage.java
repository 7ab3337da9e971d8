package dev.holdfast.recovery;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the journal of a runtime takes on the disk, with the history it keeps.
 *
 * @param bytes all segments together, what is needed after a crash included, with their indexes and
 *     the files that wait to become segments
 * @param bytesMax the cap on the segments alone, {@link
 *     dev.holdfast.RuntimeOptions#historyBytesMax}
 * @param oldest from when on every change of every object is kept; null if there is none yet
 */
public record HistoryUsage(long bytes, long bytesMax, @Nullable Instant oldest) {}
