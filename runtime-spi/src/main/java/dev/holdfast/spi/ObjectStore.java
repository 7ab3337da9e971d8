package dev.holdfast.spi;

/**
 * The data of one object, for the lifetime of one instance of it.
 *
 * <p>Used by one thread at a time: the thread that runs the object's turn. Consecutive turns may
 * run on different threads; the input gate orders them.
 */
public interface ObjectStore {

  /**
   * Begins a turn. At most one turn is open at a time. May open the object's files, on another
   * thread if the calling thread is virtual.
   *
   * @return the turn
   * @throws dev.holdfast.errors.StorageFailedException if the object's files cannot be opened
   */
  StoreTurn beginTurn();

  /**
   * Restores the object to an earlier state: undoes its later batches, newest first, and appends
   * the changes as one record of kind {@link RecordKind#RESTORE} with its own undo, after its parts
   * if it is large ({@link RecordKind#UNDO_PART}). No turn is open. The record is appended even if
   * nothing changes, because it completes the request for the restore. A crash leaves the state
   * before or after the restore. Waits for the journal; must not be called by a storage thread.
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
   * Creates an image of an earlier state; the object does not change. No turn is open.
   *
   * @param later the batches to undo; all of them durable
   * @return the image; the caller closes it
   * @throws dev.holdfast.errors.StorageFailedException if a batch cannot be undone
   */
  default PastImage image(LaterBatches later) {
    throw new UnsupportedOperationException("This storage engine keeps no history.");
  }

  /**
   * Creates images of two states to be compared; both may lack what no batch has changed since the
   * earlier one. No turn is open.
   *
   * @param first the batches after the first state
   * @param second those after the second
   * @return the images; the caller closes them
   * @throws dev.holdfast.errors.StorageFailedException if a batch cannot be undone
   */
  default PastImage.Pair images(LaterBatches first, LaterBatches second) {
    PastImage image = image(first);
    try {
      return new PastImage.Pair(image, image(second));
    } catch (RuntimeException e) {
      image.close();
      throw e;
    }
  }

  /**
   * Fills an object that has no data with the image of another object, in one batch. No turn is
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
   * Removes from the files of the backend what the object has deleted or replaced. No turn is open;
   * all batches of the object are durable, and the last one {@linkplain StoreTurn#compact has
   * compacted} it. Waits for the journal and for the disk; must not be called by a storage thread.
   *
   * @throws dev.holdfast.errors.StorageFailedException if that fails; it can be repeated
   */
  default void eraseRemains() {}

  /**
   * Notifies the backend that the instance has ended, evicted or reset, and no turn is open. The
   * next store of this object starts from the last sealed state.
   */
  void release();
}
