package dev.holdfast.archiver;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** An entry of an archive is not what its writer added. To read it again does not help. */
final class DamagedEntryException extends IOException {

  @Serial private static final long serialVersionUID = 1L;

  private final String meaning;

  /**
   * @param entry the entry, with its store
   * @param meaning what was found, without the entry
   */
  DamagedEntryException(String entry, String meaning, @Nullable Throwable cause) {
    super(entry + ": " + meaning, cause);
    this.meaning = meaning;
  }

  /** {@return what was found, as a sentence} */
  String meaning() {
    return meaning;
  }
}
