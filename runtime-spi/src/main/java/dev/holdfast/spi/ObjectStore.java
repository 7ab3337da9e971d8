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
   * @throws dev.holdfast.StorageFailedException if the object's files cannot be opened
   */
  StoreTurn beginTurn();

  /**
   * Tells the backend that the instance is gone, evicted or reset, and no turn is open. The next
   * store of this object starts from the last sealed state.
   */
  void release();
}
