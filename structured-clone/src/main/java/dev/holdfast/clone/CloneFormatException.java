package dev.holdfast.clone;

import java.io.Serial;

/**
 * Thrown when bytes are not a value in the format, or have a version or kind that cannot be read.
 * No part of the value is returned.
 */
public final class CloneFormatException extends StructuredCloneException {

  @Serial private static final long serialVersionUID = 1L;

  private final int offset;

  /**
   * Creates an exception.
   *
   * @param reason the reason, without the offset
   * @param offset see {@link #offset()}
   */
  public CloneFormatException(String reason, int offset) {
    super(reason + " (at byte " + offset + ")", null);
    this.offset = offset;
  }

  /**
   * Returns the offset at which reading failed.
   *
   * @return the offset of the byte at or after the fault, from 0 to the number of bytes
   */
  public int offset() {
    return offset;
  }
}
