package dev.holdfast.clone;

import java.io.Serial;

/**
 * Bytes are not a value in the format, or one of a version or kind that cannot be read. Nothing of
 * the value is returned.
 */
public final class CloneFormatException extends StructuredCloneException {

  @Serial private static final long serialVersionUID = 1L;

  private final int offset;

  CloneFormatException(String reason, int offset) {
    super(reason + " (at byte " + offset + ")", null);
    this.offset = offset;
  }

  /**
   * Returns where reading failed.
   *
   * @return the offset of the byte at or after the fault, from 0 to the number of bytes
   */
  public int offset() {
    return offset;
  }
}
