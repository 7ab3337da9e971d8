package dev.holdfast.errors;

import dev.holdfast.HoldfastException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * An archive cannot be restored: it cannot be read, is damaged, or does not cover the moment.
 * Nothing was restored.
 */
public final class ArchiveException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what happened and what to do
   * @param cause the reason, or null
   */
  public ArchiveException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
