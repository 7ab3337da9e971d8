package dev.holdfast.spi;

import dev.holdfast.ObjectId;

/**
 * Names one object of a runtime.
 *
 * @param namespace the name of its namespace
 * @param id its id
 */
public record ObjectKey(String namespace, ObjectId id) {

  /** {@return the namespace and the id, with the name if it is known; for messages} */
  @Override
  public String toString() {
    return namespace + "/" + id.toDisplayString();
  }
}
