package dev.holdfast.journal.file;

import java.nio.file.Path;

/**
 * A file whose space is allocated, ready to become a segment.
 *
 * @param file where it is
 * @param sizeBytes its size, a multiple of a page
 */
public record Spare(Path file, long sizeBytes) {}
