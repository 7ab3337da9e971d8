package dev.holdfast.archive.s3;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The server answers, but cannot hold the archive as it is set up: it gives no access, has no such
 * bucket, or does not honour conditional writes. To repeat the operation does not help.
 */
public final class S3RefusedException extends IOException {

  private static final long serialVersionUID = 1;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, and what to do
   * @param cause the answer of the server; null if it is not an error
   */
  public S3RefusedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
