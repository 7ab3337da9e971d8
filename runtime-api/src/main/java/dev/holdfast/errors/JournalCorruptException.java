package dev.holdfast.errors;

import dev.holdfast.HoldfastException;
import java.io.Serial;
import java.nio.file.Path;

/**
 * The journal is damaged before its end, where no crash can have torn it. The runtime does not
 * open: the records after the damage were acknowledged and could be lost.
 */
public final class JournalCorruptException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  private final String file;
  private final long offsetBytes;
  private final long position;

  /**
   * Creates the exception.
   *
   * @param file the segment file
   * @param offsetBytes the offset in the file where the damage begins
   * @param position the journal position expected there
   * @param message what the reader found
   */
  public JournalCorruptException(Path file, long offsetBytes, long position, String message) {
    this(file, offsetBytes, position, message, "Restore the file from a copy of the disk");
  }

  /**
   * Creates the exception for damage that another file cannot repair.
   *
   * @param file the segment file
   * @param offsetBytes the offset in the file where the damage begins
   * @param position the journal position expected there
   * @param message what the reader found
   * @param remedy what to do
   */
  public JournalCorruptException(
      Path file, long offsetBytes, long position, String message, String remedy) {
    super(
        "Journal segment "
            + file
            + " is corrupt at byte "
            + offsetBytes
            + ", position "
            + position
            + ": "
            + message
            + ". "
            + remedy
            + "; nothing was changed.",
        null);
    this.file = file.toString();
    this.offsetBytes = offsetBytes;
    this.position = position;
  }

  /** {@return the segment file} */
  public String file() {
    return file;
  }

  /** {@return the offset in the file where the damage begins, in bytes} */
  public long offsetBytes() {
    return offsetBytes;
  }

  /** {@return the journal position expected at that offset} */
  public long position() {
    return position;
  }
}
