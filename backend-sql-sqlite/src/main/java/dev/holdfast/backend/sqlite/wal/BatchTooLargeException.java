package dev.holdfast.backend.sqlite.wal;

import java.io.Serial;

/** A turn wrote more than one journal record can hold. */
public final class BatchTooLargeException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param bytesMax what a record of the journal holds
   */
  public BatchTooLargeException(int bytesMax) {
    super(
        "one turn changed more than fits into a batch of "
            + (bytesMax >> 20)
            + " MiB; write less in one turn");
  }
}
