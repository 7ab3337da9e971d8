package dev.holdfast.journal;

import java.nio.file.Path;

/**
 * A file whose space is allocated, ready to become a segment.
 *
 * @param file where it is
 * @param sizeBytes its size, a multiple of a page
 */
record Spare(Path file, long sizeBytes) {}
