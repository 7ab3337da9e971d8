package dev.holdfast.errors;

import dev.holdfast.HoldfastException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The journal could not be written or synced. After such an error the operating system's cache
 * cannot be trusted, so the runtime stops for good: it resets every object, fails every held reply
 * and accepts no call. Close the runtime, repair the cause and open it again: all acknowledged
 * writes are there. Unconfirmed writes may be lost; then {@link dev.holdfast.ObjectRuntime#close}
 * reports it.
 */
public final class JournalFailedException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what failed, with the file
   * @param cause the error of the file system
   */
  public JournalFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
