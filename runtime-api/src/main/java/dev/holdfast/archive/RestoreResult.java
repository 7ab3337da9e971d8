package dev.holdfast.archive;

import java.util.List;

/**
 * What was restored. Immutable.
 *
 * @param generation the generation of the archive that has the last record, or begins after it; 0
 *     if the source is not an archive
 * @param position the position of the last record
 * @param bytes how much of the source was read, in bytes
 * @param purged the objects that are not as at the moment, but as they are in the source, because
 *     their history was purged since: of each its namespace, a slash and its id, 64 hexadecimal
 *     digits
 */
public record RestoreResult(long generation, long position, long bytes, List<String> purged) {

  /** Copies the list. */
  public RestoreResult {
    purged = List.copyOf(purged);
  }
}
