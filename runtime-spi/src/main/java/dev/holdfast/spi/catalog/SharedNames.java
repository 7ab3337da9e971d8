package dev.holdfast.spi.catalog;

import dev.holdfast.spi.ObjectKey;
import java.util.ArrayList;
import java.util.List;

/**
 * Objects that have come into being with a name that another object of their namespace has, until
 * somebody takes them. Thread-safe.
 */
public final class SharedNames {

  /** What is more is forgotten: lists show every object. */
  private static final int COUNT_MAX = 100;

  private List<ObjectKey> found = new ArrayList<>(); // guarded by this

  /** Creates an empty list. */
  public SharedNames() {}

  /**
   * Adds an object.
   *
   * @param key the object, with its name
   */
  public synchronized void add(ObjectKey key) {
    if (found.size() < COUNT_MAX) {
      found.add(key);
    }
  }

  /** {@return the objects that were added since the last call} */
  public synchronized List<ObjectKey> take() {
    List<ObjectKey> taken = found;
    if (!taken.isEmpty()) {
      found = new ArrayList<>();
    }
    return taken;
  }
}
