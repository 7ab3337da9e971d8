package dev.holdfast.backend.sqlite.file;

import dev.holdfast.spi.ObjectKey;
import org.jspecify.annotations.Nullable;

/** Keeps the saved states of all objects. Thread-safe. */
public interface SavedStates {

  /**
   * Returns the last saved state of an object, without the checksums of its pages.
   *
   * @param key the object
   * @return the state; null if it was never saved
   * @throws dev.holdfast.errors.DataDirectoryException if it cannot be read
   */
  @Nullable SavedState savedState(ObjectKey key);

  /**
   * Returns the checksums of the pages of a saved state.
   *
   * @param key the object
   * @param state its last saved state
   * @return the checksums; null if they do not belong to the state
   * @throws dev.holdfast.errors.DataDirectoryException if they cannot be read
   */
  @Nullable PageSums pageSums(ObjectKey key, SavedState state);
}
