package dev.holdfast.spi;

/** Pairs of a scan, in order. Used by the thread that runs the turn. */
public interface StoreScan extends AutoCloseable {

  /**
   * {@return whether there is a next pair, and moves to it}
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  boolean next();

  /** {@return the key of the current pair} */
  byte[] key();

  /** {@return the value of the current pair} */
  byte[] value();

  /** Frees the resources of the scan. Closing twice has no effect. */
  @Override
  void close();
}
