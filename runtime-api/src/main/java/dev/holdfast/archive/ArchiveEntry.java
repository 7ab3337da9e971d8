package dev.holdfast.archive;

/**
 * An entry of an archive. Immutable.
 *
 * @param name its name
 * @param bytes its size
 */
public record ArchiveEntry(String name, long bytes) {}
