package dev.holdfast.spi;

import dev.holdfast.errors.StorageFailedException;

/** Is notified that a backend can no longer keep an object. Thread-safe. */
@FunctionalInterface
public interface ObjectFailureListener {

  /**
   * Called on any thread, without a lock held. Must not block.
   *
   * @param key the object
   * @param failure why, and what to do
   */
  void failed(ObjectKey key, StorageFailedException failure);
}
