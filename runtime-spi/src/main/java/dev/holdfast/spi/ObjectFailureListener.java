package dev.holdfast.spi;

import dev.holdfast.errors.StorageFailedException;

/** Learns that a backend can no longer keep an object. Thread-safe. */
@FunctionalInterface
public interface ObjectFailureListener {

  /**
   * Called without a lock held, on any thread. Quick: it does not block.
   *
   * @param key the object
   * @param failure why, and what to do
   */
  void failed(ObjectKey key, StorageFailedException failure);
}
