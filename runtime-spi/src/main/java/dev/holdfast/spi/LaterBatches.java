package dev.holdfast.spi;

/** The batches of one object after the moment that it is to be restored to. */
@FunctionalInterface
public interface LaterBatches {

  /**
   * Passes every batch of the object after the moment to a visitor, newest first, each before its
   * parts; each has an undo. Proves that none is missing. Can be called several times, with the
   * same result.
   *
   * @param lastPosition the position of the object's last batch, as the store knows it; {@link
   *     Journal#START} if it has none
   * @param visitor undoes each batch in turn
   * @throws dev.holdfast.BookmarkException if a batch is missing; what was undone by then is not a
   *     state of the object
   * @throws dev.holdfast.HoldfastException if a batch cannot be read
   */
  void newestFirst(long lastPosition, RecordVisitor visitor);
}
