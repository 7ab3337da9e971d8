package dev.holdfast.spi.log;

import dev.holdfast.HoldfastException;
import java.io.Serial;

/**
 * This node does not own the shard any more: another node does, or will. What it had proposed may
 * be kept or lost. The next owner has everything that was acknowledged.
 */
public final class OwnershipLostException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message how the ownership ended
   */
  public OwnershipLostException(String message) {
    super(message, null);
  }
}
