package dev.holdfast;

import java.io.Serial;

/** The runtime is closed or closing; the call was not delivered. Open the runtime again. */
public final class RuntimeClosedException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public RuntimeClosedException() {
    super("The runtime is closed; open the data directory again to call its objects.", null);
  }
}
