package dev.holdfast.backend.sqlite.wal;

import java.io.Serial;

/** A turn wrote more than one journal record can hold. */
public final class BatchTooLargeException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  BatchTooLargeException() {
    super("one turn changed more than fits into a batch of 1 GiB; write less in one turn");
  }
}
