package dev.holdfast.cluster.frame;

import java.io.IOException;
import java.io.Serial;

/** Bytes that are no frame of the protocol, or a frame that is longer than one may be. */
public final class FrameException extends IOException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong with the bytes
   */
  public FrameException(String message) {
    super(message);
  }
}
