package dev.holdfast.clone;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A value that cannot be written, read or copied. */
public abstract sealed class StructuredCloneException extends RuntimeException
    permits CloneException, CloneFormatException {

  @Serial private static final long serialVersionUID = 1L;

  StructuredCloneException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
