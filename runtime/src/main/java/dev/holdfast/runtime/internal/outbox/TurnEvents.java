package dev.holdfast.runtime.internal.outbox;

import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The events that an object has emitted since its last batch. Confined to the holder of the turn.
 */
public final class TurnEvents {

  private final ObjectKey key;
  private final List<PendingEvent> events = new ArrayList<>();
  private long bytes = EventRecord.HEADER_BYTES;

  /**
   * Creates the events of an object that has emitted none.
   *
   * @param key the object
   */
  public TurnEvents(ObjectKey key) {
    this.key = key;
  }

  /**
   * Adds an event.
   *
   * @param topic the topic
   * @param value the encoded value; not changed by the caller afterwards
   * @throws StorageLimitException if the events of the turn are too large together
   */
  public void add(String topic, byte[] value) {
    long added = EventRecord.bytesOf(EventRecord.utf8(topic).length, value.length);
    if (bytes + added > Journal.EVENTS_BYTES_MAX) {
      throw new StorageLimitException(
          key.namespace(),
          key.id(),
          "The events of one turn cannot be larger than "
              + Journal.EVENTS_BYTES_MAX
              + " bytes together; with this one they have "
              + (bytes + added)
              + ". Emit them in several turns.");
    }
    events.add(new PendingEvent(topic, value));
    bytes += added;
  }

  /** {@return how many events there are} */
  public int count() {
    return events.size();
  }

  /**
   * Drops the latest events.
   *
   * @param count how many stay; more than there are if the turn was sealed since
   */
  public void cutTo(int count) {
    while (events.size() > count) {
      PendingEvent dropped = events.removeLast();
      bytes -=
          EventRecord.bytesOf(EventRecord.utf8(dropped.topic()).length, dropped.value().length);
    }
  }

  /** {@return the record of these events; there is at least one} */
  public ByteBuffer encode() {
    return EventRecord.encode(events);
  }
}
