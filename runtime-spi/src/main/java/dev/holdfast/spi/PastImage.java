package dev.holdfast.spi;

/** A copy of the content of an object at a moment in the past. Confined to one thread. */
public interface PastImage extends AutoCloseable {

  /**
   * Passes every key and row to a visitor, in any order.
   *
   * @param visitor receives them
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void forEach(EntryVisitor visitor);

  /** Frees the resources of the image. Closing twice has no effect. */
  @Override
  void close();

  /** Receives the content of an image. */
  @FunctionalInterface
  interface EntryVisitor {

    /**
     * Receives one entry.
     *
     * @param table as in {@link dev.holdfast.recovery.Difference#table}
     * @param key as in {@link dev.holdfast.recovery.Difference#key}
     * @param identity identifies the entry within the table; unique, whereas {@code key}, which is
     *     for display, may not be
     * @param value a text that is equal only for equal values
     */
    void visit(String table, String key, String identity, String value);
  }
}
