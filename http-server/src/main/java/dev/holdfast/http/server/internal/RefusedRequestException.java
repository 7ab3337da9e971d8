package dev.holdfast.http.server.internal;

import java.io.IOException;

/** A request that cannot be read: malformed, too long, or too large for the free budget. */
public final class RefusedRequestException extends IOException {

  private static final long serialVersionUID = 1L;

  private final int status;

  RefusedRequestException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** {@return the status of the answer} */
  public int status() {
    return status;
  }
}
