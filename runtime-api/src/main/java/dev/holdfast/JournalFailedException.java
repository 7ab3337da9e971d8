package dev.holdfast;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The journal could not be written or synced: after such an error the operating system's cache
 * cannot be trusted, so the runtime stops for good, by itself: every object is reset, every held
 * reply fails, and no call is taken. Close the runtime, repair the cause and open it again:
 * everything that was acknowledged is there. What was written unconfirmed may be lost; then closing
 * the runtime says so.
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
