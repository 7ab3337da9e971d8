package dev.holdfast.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A copy of the content of an object at a moment in the past. Confined to one thread. */
public interface PastImage extends AutoCloseable {

  /**
   * {@return the tables, in the order of their names; see {@link
   * dev.holdfast.recovery.Difference#table}}
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  List<String> tables();

  /**
   * {@return the names of the columns of a table}
   *
   * @param table one of the tables
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  List<String> columns(String table);

  /**
   * {@return the number of keys or rows of a table}
   *
   * @param table one of the tables
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  long count(String table);

  /**
   * Passes keys or rows to a visitor: keys in their order, rows in any.
   *
   * @param table one of the tables
   * @param visitor receives them
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void forEach(String table, EntryVisitor visitor);

  /**
   * Passes the entries of a table that another image of the object does not have, or has with other
   * values, and those of the other image that this one does not have so. An image may also pass
   * entries that are the same in both, and then passes both. The visitors want all of them.
   *
   * @param other an image of the same backend, with the table
   * @param table one of the tables of both
   * @param ofThis receives those of this image, each before the one of the other image in its place
   * @param ofOther receives those of the other image
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  default void forEachUnlike(
      PastImage other, String table, EntryVisitor ofThis, EntryVisitor ofOther) {
    forEach(table, ofThis);
    other.forEach(table, ofOther);
  }

  /** {@return the alarms of the object then} */
  List<AlarmRecord> alarms();

  /**
   * {@return the size of the object then, in bytes}
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  long bytes();

  /** Frees the resources of the image. Closing twice has no effect. */
  @Override
  void close();

  /** Receives the content of an image. */
  @FunctionalInterface
  interface EntryVisitor {

    /**
     * Receives one entry.
     *
     * @param key as in {@link dev.holdfast.recovery.Difference#key}
     * @param identity together with {@code key}, which is for display, unique in the table
     * @param values {@code Long}, {@code Double}, {@code String}, {@code byte[]}, {@link
     *     BrokenText} or null for each column; the stored bytes of a key
     * @return whether more is wanted
     */
    boolean visit(String key, String identity, List<@Nullable Object> values);
  }

  /**
   * A text whose bytes are not UTF-8, as that of a lone surrogate.
   *
   * @param shown the text with replacement characters
   * @param hex its bytes
   */
  record BrokenText(String shown, String hex) {

    @Override
    public String toString() {
      return shown;
    }
  }

  /**
   * Two images to be compared.
   *
   * @param first the first one
   * @param second the second one
   */
  record Pair(PastImage first, PastImage second) implements AutoCloseable {

    @Override
    public void close() {
      try (first) {
        second.close();
      }
    }
  }
}
