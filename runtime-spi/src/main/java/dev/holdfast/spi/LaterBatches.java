package dev.holdfast.spi;

/** The batches that one object got after the moment to which it is to be brought back. */
@FunctionalInterface
public interface LaterBatches {

  /**
   * Hands over every batch of the object after the moment, newest first; each has an undo. Can be
   * called several times and gives the same.
   *
   * @param visitor undoes one after the other
   */
  void newestFirst(RecordVisitor visitor);
}
