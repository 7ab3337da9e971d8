package dev.holdfast.runtime.internal.turn;

import dev.holdfast.runtime.internal.gate.Headroom;

/**
 * The way in of events that nobody's thread waits for. They queue without a thread and get one when
 * their first turn comes. Stateless.
 */
public final class EventQueueing {

  private EventQueueing() {}

  /**
   * Queues an event.
   *
   * @param event made by {@link Execution#ofEvent}; in no queue
   */
  public static void enqueue(Execution event) {
    // Events that the object starts itself are not refused: what they bring about was promised.
    switch (event.turns().gate().enter(event, Integer.MAX_VALUE)) {
      case ADMITTED -> startThread(event);
      case SHUT -> event.dismissed();
      case QUEUED, QUEUED_BEHIND_SECTION, FULL -> {}
    }
  }

  /** Gives an admitted event its thread. */
  static void startThread(Execution event) {
    Turns turns = event.turns();
    Headroom.require();
    try {
      turns.services().start(event::runEvent);
    } catch (RuntimeException | Error e) {
      // The event holds the turn but will never run: without this the object would be stuck.
      turns.reset("The object was reset because the thread of an event could not be started.", e);
      turns.begin(event);
      turns.finish(event);
      event.neverRan();
    }
  }
}
