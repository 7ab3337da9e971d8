package dev.holdfast.runtime.internal.filter;

import dev.holdfast.ObjectId;
import org.jspecify.annotations.Nullable;

/** What filters of both sides see of a call. */
public interface Described {

  /** {@return the namespace of the object} */
  String namespace();

  /** {@return the object} */
  ObjectId id();

  /** {@return the name of the method} */
  String operationName();

  /** {@return the arguments; not changed by filters} */
  @Nullable Object[] arguments();
}
