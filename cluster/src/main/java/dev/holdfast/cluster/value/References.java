package dev.holdfast.cluster.value;

import dev.holdfast.cluster.frame.Value;
import org.jspecify.annotations.Nullable;

/** The ids, stubs and namespaces of a runtime as addresses, and back. Thread-safe. */
public interface References {

  /**
   * Returns the address that a value is.
   *
   * @param value an argument or a result
   * @return its address; null if it is a value, which is copied
   */
  @Nullable Value addressOf(Object value);

  /**
   * Returns what an address names on this node.
   *
   * @param address a {@link Value.Id}, {@link Value.Stub} or {@link Value.Namespace}
   * @return the id, stub or namespace
   * @throws UnreadableValueException if this node has no such namespace, or the id is not of it
   */
  Object resolve(Value address) throws UnreadableValueException;
}
