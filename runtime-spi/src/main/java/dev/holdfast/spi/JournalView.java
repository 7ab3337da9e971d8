package dev.holdfast.spi;

/**
 * A materialised view of the journal: files that hold the same truth in another form, such as
 * SQLite databases. A view may lag behind the journal on disk, and is repaired from it after a
 * crash.
 *
 * <p>A view must never make a change durable in its own files before the journal has made it
 * durable: after a crash there would be an effect without a record.
 */
public interface JournalView {

  /** {@return a number from 1 to 255 that marks this view's records on disk, for ever} */
  int viewId();

  /**
   * Brings the files of the view to the state of the journal's end. Called once, after the journal
   * was opened and before anything else is asked of the view. Idempotent: a crash in the middle is
   * harmless.
   *
   * @param log all durable records from the low-water mark on, those of other views included
   */
  void recover(RecoveryLog log);

  /**
   * Returns the lowest position whose record this view would need after a crash now. Thread-safe;
   * called by the journal when it decides which segments to keep, and once more while it closes,
   * after the view was closed. Must not wait for the journal.
   *
   * <p>An append in progress counts. The journal may ask between giving a position to a record and
   * the return of {@link Journal#append}, so a view notes <em>before</em> it appends that it needs
   * everything from {@link Journal#lastPosition} + 1 on; noting the returned position afterwards
   * would be too late, and the record could be missing after a crash.
   *
   * @return a position, or {@link Long#MAX_VALUE} if the view needs none
   */
  long lowWaterMark();

  /**
   * Asks the view to make durable in its own files whatever it has not, from records before a
   * position, so that old segments can go. Called by the journal from a thread of its own, or from
   * the one that closes it; may return before it is done. May come while the view is being closed
   * or afterwards, and then does nothing.
   *
   * @param position records before this one should soon no longer be needed
   */
  void checkpointBefore(long position);

  /**
   * Returns the lowest position that the history of objects must still reach, whatever retention
   * says: a restore that was asked for needs what comes after its target. Thread-safe; must not
   * wait for the journal.
   *
   * @return a position, or {@link Long#MAX_VALUE} if there is no such wish
   */
  default long historyFloor() {
    return Long.MAX_VALUE;
  }
}
