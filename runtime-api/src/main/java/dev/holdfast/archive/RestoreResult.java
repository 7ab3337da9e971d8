package dev.holdfast.archive;

/**
 * What was restored. Immutable.
 *
 * @param generation the generation of the archive that has the last record, or begins after it; 0
 *     if the source is no archive
 * @param position the position of the last record
 * @param bytes how much of the source was read, in bytes
 */
public record RestoreResult(long generation, long position, long bytes) {}
