package dev.holdfast;

import java.io.Serial;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** An object cannot be exported to a file, or imported from one. The object is unchanged. */
public final class ObjectFileException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  private final String file;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param file the file
   * @param message what is wrong with it and what to do; the name of the file is put before it
   * @param cause the reason, or null
   */
  public ObjectFileException(
      String namespace, ObjectId id, Path file, String message, @Nullable Throwable cause) {
    super(namespace, id, file + " " + message, cause);
    this.file = file.toString();
  }

  /** {@return the file} */
  public String file() {
    return file;
  }
}
