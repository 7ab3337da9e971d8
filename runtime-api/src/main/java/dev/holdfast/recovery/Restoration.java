package dev.holdfast.recovery;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A restore that was done.
 *
 * @param time when it was done
 * @param restored the restored state; null if it is older than the history that is kept
 * @param undo the state just before; restoring it undoes the restore
 */
public record Restoration(Instant time, @Nullable String restored, String undo) {}
