package dev.holdfast.journal.file;

import java.nio.file.Path;

/**
 * A file whose space is allocated, ready to become a segment.
 *
 * @param file its path
 * @param sizeBytes its size, a multiple of the page size
 * @param isUsed whether it may have records of an old segment, and is not known to be zeros
 */
public record Spare(Path file, long sizeBytes, boolean isUsed) {}
