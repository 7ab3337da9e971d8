package dev.holdfast.cluster.frame;

import dev.holdfast.ObjectId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An argument or a result: bytes, or the address of objects. Addresses travel as names and ids, as
 * they are passed between objects of one process.
 */
public sealed interface Value {

  /** No value. */
  record Null() implements Value {}

  /**
   * A value in the structured clone format.
   *
   * @param bytes not changed by anybody
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by content, below
  record Cloned(byte[] bytes) implements Value {

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Cloned that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
      return bytes.length + " bytes";
    }
  }

  /**
   * An id.
   *
   * @param id the id
   */
  record Id(ObjectId id) implements Value {}

  /**
   * A stub of an object.
   *
   * @param namespace the object's namespace
   * @param id the object
   * @param blocking whether it is the object's interface; otherwise the {@code ObjectStub}
   */
  record Stub(String namespace, ObjectId id, boolean blocking) implements Value {}

  /**
   * A namespace.
   *
   * @param name its name
   */
  record Namespace(String name) implements Value {}
}
