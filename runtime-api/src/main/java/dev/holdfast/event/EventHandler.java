package dev.holdfast.event;

import java.util.List;

/**
 * Receives the events of a topic for one consumer. Called by one thread at a time, a virtual thread
 * of the runtime, outside of all objects: it may block, and may call objects.
 *
 * @param <T> the type of the values
 */
@FunctionalInterface
public interface EventHandler<T> {

  /**
   * Handles events, in the order of the journal. When it returns, they are handled. When it throws,
   * all of them are delivered again after a pause. After a crash, events that were handled shortly
   * before may be delivered again.
   *
   * @param events at least one, at most {@link ConsumerOptions#batchEventsMax}
   * @throws Exception if not all of them could be handled; logged, and tried again
   */
  void handle(List<Event<T>> events) throws Exception;

  /**
   * Called at most once, instead of any further {@link #handle}: events that this consumer has not
   * handled are no longer kept. The default does nothing; the log and the health of the runtime say
   * it as well.
   *
   * @param reason what has happened and what to do: the message of the {@link
   *     dev.holdfast.errors.ConsumerException} that the next attempt to consume throws
   */
  default void cutOff(String reason) {}
}
