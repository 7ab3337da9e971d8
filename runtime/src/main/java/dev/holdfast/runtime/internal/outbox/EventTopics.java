package dev.holdfast.runtime.internal.outbox;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The topics of the events of a record.
 *
 * @param topics in the order of the events
 */
public record EventTopics(List<String> topics) {

  /** Keeps a copy. */
  public EventTopics {
    topics = List.copyOf(topics);
  }

  /**
   * {@return those of a record of events}
   *
   * @param payload its payload; not changed
   * @throws IllegalArgumentException if it is not a record of this version; the message says why
   */
  public static EventTopics of(ByteBuffer payload) {
    return new EventTopics(EventRecord.decode(payload).stream().map(PendingEvent::topic).toList());
  }

  /**
   * {@return whether an event has a topic}
   *
   * @param topic the topic
   * @param from how many events of the record do not count
   */
  public boolean has(String topic, int from) {
    return topics.stream().skip(from).anyMatch(topic::equals);
  }
}
