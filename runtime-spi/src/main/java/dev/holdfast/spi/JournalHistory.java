package dev.holdfast.spi;

/**
 * The records that the journal keeps beyond what recovery needs: the past of every object, as far
 * back as retention allows. Only durable records are seen. Thread-safe; every method may read
 * files.
 */
public interface JournalHistory {

  /** {@return the position from which on every record is kept; one behind the end if none is} */
  long oldestPosition();

  /**
   * {@return a time from which on every record is kept, milliseconds since 1970; the largest long
   * if none is}
   */
  long oldestWallMillis();

  /**
   * Returns the position of the last record that was appended at or before a time: the last one
   * before the first that is later. Records whose time is still to come were stamped by a clock
   * that was ahead, and belong to those before them.
   *
   * @param wallMillis milliseconds since 1970
   * @return the position; one before {@link #oldestPosition} if all kept records are later
   * @throws dev.holdfast.errors.DataDirectoryException if the index cannot be read
   */
  long positionAt(long wallMillis);

  /**
   * Looks at the records of one object, newest first. What retention drops meanwhile ends it early.
   *
   * @param key the object
   * @param fromPosition where to begin; later records are left out
   * @return the records, to be closed
   * @throws dev.holdfast.errors.DataDirectoryException if the index cannot be read
   */
  HistoryCursor newestFirst(ObjectKey key, long fromPosition);

  /** {@return a number that the journal got when it was made, and no other has} */
  long journalId();

  /**
   * {@return how many bytes the journal takes on the disk: the records that recovery needs, those
   * that are kept beyond, the indexes they are found through, and room that was made for the next}
   */
  long bytes();
}
