package dev.holdfast.spi;

/** What an object held at a moment, apart from it. Owned by one thread. */
public interface PastImage extends AutoCloseable {

  /**
   * Hands over every key and row, in any order.
   *
   * @param visitor takes them
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void forEach(EntryVisitor visitor);

  /** Frees what the image takes. Closing twice does nothing. */
  @Override
  void close();

  /** Takes the content of an image. */
  @FunctionalInterface
  interface EntryVisitor {

    /**
     * Takes one entry.
     *
     * @param table as in {@link dev.holdfast.recovery.Difference#table}
     * @param key as in {@link dev.holdfast.recovery.Difference#key}
     * @param identity which entry of the table it is; no other has the same, though {@code key},
     *     which is for people, may look alike
     * @param value something that is equal for equal values only
     */
    void visit(String table, String key, String identity, String value);
  }
}
