package dev.holdfast.spi;

/** The batches of one object after the moment that it is to be restored to. */
@FunctionalInterface
public interface LaterBatches {

  /**
   * Passes every batch of the object after the moment to a visitor, newest first; each has an undo.
   * Can be called several times, with the same result.
   *
   * @param visitor undoes each batch in turn
   * @throws dev.holdfast.HoldfastException if a batch cannot be read
   */
  void newestFirst(RecordVisitor visitor);
}
