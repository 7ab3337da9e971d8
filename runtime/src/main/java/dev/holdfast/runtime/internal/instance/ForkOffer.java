package dev.holdfast.runtime.internal.instance;

import dev.holdfast.runtime.internal.turn.Bookmarks;
import dev.holdfast.spi.PastImage;
import org.jspecify.annotations.Nullable;

/**
 * A state that a new object begins with, and what came of it. The first turn that comes takes it:
 * the activation of the object, for any call, or the turn of the fork itself. If that fails, the
 * fork reports it.
 *
 * <p>Thread-safe. It is taken in a turn of the object. Closing waits for that, because the image
 * goes away after it.
 */
final class ForkOffer {

  private final PastImage image;
  private boolean open = true;
  private @Nullable Long position;
  private @Nullable RuntimeException refusal;

  ForkOffer(PastImage image) {
    this.image = image;
  }

  /**
   * Makes the object what the image says, unless that was tried before.
   *
   * @return whether it was done now
   * @throws RuntimeException if the storage failed; that the object has data is not an error of the
   *     call whose turn this is
   */
  synchronized boolean take(Bookmarks bookmarks) {
    if (!open) {
      return false;
    }
    open = false;
    try {
      position = bookmarks.become(image);
      return true;
    } catch (IllegalStateException e) {
      refusal = e; // nothing was changed
      return false;
    } catch (RuntimeException e) {
      refusal = e;
      throw e;
    }
  }

  /** Ends the offer. */
  synchronized void close() {
    open = false;
  }

  /** {@return the position of the batch that made the object; null if there is none} */
  synchronized @Nullable Long position() {
    return position;
  }

  /** {@return why there is none; null if it was not tried} */
  synchronized @Nullable RuntimeException refusal() {
    return refusal;
  }
}
