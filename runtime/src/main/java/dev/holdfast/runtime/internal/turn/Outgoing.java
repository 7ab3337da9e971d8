package dev.holdfast.runtime.internal.turn;

import org.jspecify.annotations.Nullable;

/** A message that an object sends without waiting for it. Leaves when its turn is sealed. */
public interface Outgoing {

  /**
   * Sends it.
   *
   * @param from the runtime that it leaves from; null if it comes from outside of all
   * @param position what the message depends on, in that runtime's journal
   */
  void send(@Nullable EngineParts from, long position);

  /**
   * Takes it back: the turn was not sealed, and its effects must stay inside it.
   *
   * @param reason why
   */
  void drop(RuntimeException reason);
}
