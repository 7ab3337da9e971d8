package dev.holdfast.spi;

import java.util.List;

/**
 * The records that the journal keeps beyond what recovery needs: the history of every object, as
 * far back as retention allows. Only durable records are visible. Thread-safe; every method may
 * read files.
 */
public interface JournalHistory {

  /** {@return the position from which on every record is kept; one after the end if none is} */
  long oldestPosition();

  /**
   * {@return a time from which on every record is kept, milliseconds since 1970; the largest long
   * if none is}
   */
  long oldestWallMillis();

  /**
   * Returns the position of the last record that was appended at or before a time: the last one
   * before the first that is later. Records with a time in the future were stamped by a clock that
   * was ahead, and belong to the records before them.
   *
   * @param wallMillis milliseconds since 1970
   * @return the position; one before {@link #oldestPosition} if all kept records are later
   * @throws dev.holdfast.errors.DataDirectoryException if the index cannot be read
   */
  long positionAt(long wallMillis);

  /**
   * Returns the records of one object, newest first. The cursor ends early if retention drops
   * records meanwhile.
   *
   * @param key the object
   * @param fromPosition where to begin; later records are left out
   * @return the records; the caller closes the cursor
   * @throws dev.holdfast.errors.DataDirectoryException if the index cannot be read
   */
  HistoryCursor newestFirst(ObjectKey key, long fromPosition);

  /**
   * Returns when objects were last changed, as far as the kept records show it.
   *
   * @param keys the objects
   * @return for each, in the order of the keys, the time of its last batch in milliseconds since
   *     1970; {@link Long#MIN_VALUE} if no batch of it is kept
   * @throws dev.holdfast.errors.DataDirectoryException if the index cannot be read
   */
  default long[] lastChanges(List<ObjectKey> keys) {
    return keys.stream().mapToLong(this::lastChange).toArray();
  }

  private long lastChange(ObjectKey key) {
    try (HistoryCursor records = newestFirst(key, Long.MAX_VALUE)) {
      while (records.next()) {
        if (records.kind().isBatch()) {
          return records.wallMillis();
        }
      }
      return Long.MIN_VALUE;
    }
  }

  /**
   * Passes records to a visitor, in order. Ends early if retention drops records meanwhile.
   *
   * @param fromPosition the first record; older ones that are not kept are left out
   * @param toPosition the last record
   * @param visitor receives them
   * @throws dev.holdfast.errors.DataDirectoryException if a file cannot be read
   * @throws dev.holdfast.errors.JournalCorruptException if a record is damaged
   */
  void forEach(long fromPosition, long toPosition, RecordVisitor visitor);

  /**
   * {@return a reader of the durable records, each with its own place; a file is open only while it
   * reads}
   */
  Reader reader();

  /**
   * {@return the disk space of the records from a position on, in bytes}
   *
   * @param position the position
   */
  long bytesFrom(long position);

  /** {@return the number that the journal got when it was created; unique to it} */
  long journalId();

  /**
   * {@return the size of the journal on disk in bytes: the records that recovery needs, the records
   * kept beyond those, their indexes, and space reserved for the next records}
   */
  long bytes();

  /**
   * Reads the durable records of a journal from front to back, a part at a time, and knows where
   * the last part ended. Confined to one thread at a time.
   */
  @FunctionalInterface
  interface Reader {

    /**
     * Passes records to a visitor, in order: the records of at least one group, if it is durable.
     *
     * @param position where to begin
     * @param bytesMax the size beyond which no further group is read
     * @param wanted which records the visitor receives
     * @param visitor receives them
     * @return the position to continue at; the given one if nothing could be read: the record is
     *     not durable yet, or no longer kept, see {@link #oldestPosition}
     * @throws dev.holdfast.errors.DataDirectoryException if a file cannot be read; the visitor may
     *     have received records, which are read again
     * @throws dev.holdfast.errors.JournalCorruptException if the journal is damaged; the visitor
     *     may have received records, none of them damaged
     */
    long read(long position, int bytesMax, RecoveryLog.Selection wanted, RecordVisitor visitor);
  }
}
