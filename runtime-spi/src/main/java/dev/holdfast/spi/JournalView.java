package dev.holdfast.spi;

/**
 * A materialised view of the journal: files that hold the same data in another form, such as SQLite
 * databases. A view may lag behind the journal on disk, and is repaired from it after a crash.
 *
 * <p>A view must never make a change durable in its own files before the journal has made it
 * durable: after a crash an effect would exist without its record.
 */
public interface JournalView {

  /** {@return a number from 1 to 255 that marks this view's records on disk; it never changes} */
  int viewId();

  /**
   * Brings the files of the view up to the end of the journal. Called once, after the journal was
   * opened and before any other method of the view. Idempotent: a crash in the middle is harmless.
   *
   * @param log all durable records from the low-water mark on, records of other views included; to
   *     be used in this call and on its thread only
   * @throws dev.holdfast.HoldfastException if a record or a file of the view cannot be read or
   *     written
   */
  void recover(RecoveryLog log);

  /**
   * Returns the lowest position whose record this view would need after a crash now. Thread-safe.
   * The journal calls it when it decides which segments to keep, and once more while it closes,
   * after the view was closed. Must not wait for the journal.
   *
   * <p>An append in progress counts. The journal may call this between giving a position to a
   * record and the return of {@link Journal#append}. So a view records <em>before</em> it appends
   * that it needs everything from {@link Journal#lastPosition} + 1 on. Recording the returned
   * position afterwards is too late: the record could be missing after a crash.
   *
   * @return a position, or {@link Long#MAX_VALUE} if the view needs none
   */
  long lowWaterMark();

  /**
   * Asks the view to make all records before a position durable in its own files, so that old
   * segments can be deleted. The journal calls it from its own thread, or from the thread that
   * closes the journal; it may return before the work is done. It may be called while the view is
   * being closed or afterwards, and then does nothing.
   *
   * @param position records before this one should soon no longer be needed
   */
  void checkpointBefore(long position);

  /**
   * Returns the lowest position that the history of objects must still reach, regardless of
   * retention: a requested restore needs the records after its target. Thread-safe; must not wait
   * for the journal.
   *
   * @return a position, or {@link Long#MAX_VALUE} if there is no such position
   */
  default long historyFloor() {
    return Long.MAX_VALUE;
  }

  /**
   * Returns the lowest position whose record must not be purged yet: an archive still needs the
   * records that it does not have, a consumer the events that it has not passed. Thread-safe; must
   * not wait for the journal.
   *
   * @return a position, or {@link Long#MAX_VALUE} if there is no such position
   */
  default long purgeFloor() {
    return Long.MAX_VALUE;
  }
}
