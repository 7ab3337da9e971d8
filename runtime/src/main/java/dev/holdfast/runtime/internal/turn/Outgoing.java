package dev.holdfast.runtime.internal.turn;

/** A message that an object sends without waiting for it. Leaves when its turn is sealed. */
public interface Outgoing {

  /**
   * Sends it.
   *
   * @param position what the message depends on
   */
  void send(long position);

  /**
   * Takes it back: the turn was not sealed, and nobody outside of it may see its effects.
   *
   * @param reason why
   */
  void drop(RuntimeException reason);
}
