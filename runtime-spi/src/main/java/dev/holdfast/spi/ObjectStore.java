package dev.holdfast.spi;

/**
 * The data of one object, for as long as one instance of it lives.
 *
 * <p>Used by one thread at a time: the one that runs the object's turn. Consecutive turns may run
 * on different threads; the input gate orders them.
 */
public interface ObjectStore {

  /**
   * Begins a turn. At most one turn is open at a time. May open the object's files, off the calling
   * thread if that is virtual.
   *
   * @return the turn
   * @throws dev.holdfast.errors.StorageFailedException if the object's files cannot be opened
   */
  StoreTurn beginTurn();

  /**
   * Brings the object back to an earlier state: undoes its later batches, newest first, and appends
   * what that changes as one record of kind {@link RecordKind#RESTORE} with an undo of its own,
   * behind its parts if it is large ({@link RecordKind#UNDO_PART}). No turn is open. The record is
   * appended even if nothing changes, since it ends the request for the restore. A crash leaves the
   * state before or after it. Waits for the journal; must not be called by a storage thread.
   *
   * @param later the batches to undo; all of them durable
   * @return the position of the record
   * @throws dev.holdfast.errors.StorageFailedException if a batch cannot be undone; nothing has
   *     changed
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  default long restore(LaterBatches later) {
    throw new UnsupportedOperationException("This storage engine keeps no history.");
  }

  /**
   * Makes an image of an earlier state; the object stays as it is. No turn is open.
   *
   * @param later the batches to undo; all of them durable
   * @return the image, to be closed
   * @throws dev.holdfast.errors.StorageFailedException if a batch cannot be undone
   */
  default PastImage image(LaterBatches later) {
    throw new UnsupportedOperationException("This storage engine keeps no history.");
  }

  /**
   * Makes an object that has no data what an image of another object says, in one batch. No turn is
   * open. Waits for the journal; must not be called by a storage thread.
   *
   * @param image made by the same backend
   * @return the position of the batch
   * @throws IllegalStateException if the object has data or alarms
   */
  default long become(PastImage image) {
    throw new UnsupportedOperationException("This storage engine keeps no history.");
  }

  /**
   * Tells the backend that the instance is gone, evicted or reset, and no turn is open. The next
   * store of this object starts from the last sealed state.
   */
  void release();
}
