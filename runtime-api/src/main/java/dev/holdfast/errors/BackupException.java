package dev.holdfast.errors;

import dev.holdfast.HoldfastException;
import java.io.Serial;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A backup was not made. The data directory is unchanged; the target has its earlier backup, or can
 * be continued.
 */
public final class BackupException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /** Not serialised: a path has a meaning only in the process that has this file system. */
  private final transient @Nullable Path path;

  /**
   * Creates the exception.
   *
   * @param path the directory or file concerned
   * @param message what happened and what to do
   * @param cause the reason, or null
   */
  public BackupException(Path path, String message, @Nullable Throwable cause) {
    super(message + " [" + path + "]", cause);
    this.path = path;
  }

  /** {@return the directory or file concerned; null after serialisation} */
  public @Nullable Path path() {
    return path;
  }
}
