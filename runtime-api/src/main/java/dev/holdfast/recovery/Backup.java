package dev.holdfast.recovery;

import java.nio.file.Path;
import java.time.Instant;

/**
 * A finished backup: a complete data directory as of one journal position, which opens like any
 * data directory. Immutable.
 *
 * @param directory the directory
 * @param position the last journal position that it has; it has no later one
 * @param time when the position was determined, by the clock of the runtime
 * @param files the number of its files, at least 1
 * @param bytesCopied the size of the files that were copied
 * @param bytesKept the size of the files that an earlier backup in the directory, or one that was
 *     interrupted, had in the same state
 */
public record Backup(
    Path directory, long position, Instant time, long files, long bytesCopied, long bytesKept) {}
