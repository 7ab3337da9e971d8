package dev.holdfast.recovery;

import java.time.Instant;

/**
 * A restore that was done.
 *
 * @param time when
 * @param restored the state that came back
 * @param undo the state just before; restoring it undoes the restore
 */
public record Restoration(Instant time, String restored, String undo) {}
