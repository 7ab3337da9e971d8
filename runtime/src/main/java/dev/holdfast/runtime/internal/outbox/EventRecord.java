package dev.holdfast.runtime.internal.outbox;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The events of a turn as a record of the journal; {@code docs/formats/events.md} describes it.
 * Stateless.
 */
final class EventRecord {

  static final int HEADER_BYTES = 5;

  private static final byte VERSION = 1;

  private EventRecord() {}

  /** {@return the size of an event in a record} */
  static int bytesOf(int topicBytes, int valueBytes) {
    return 1 + topicBytes + Integer.BYTES + valueBytes;
  }

  static ByteBuffer encode(List<PendingEvent> events) {
    int bytes = HEADER_BYTES;
    for (PendingEvent event : events) {
      bytes += bytesOf(utf8(event.topic()).length, event.value().length);
    }
    ByteBuffer record = ByteBuffer.allocate(bytes).put(VERSION).putInt(events.size());
    for (PendingEvent event : events) {
      byte[] topic = utf8(event.topic());
      record.put((byte) topic.length).put(topic);
      record.putInt(event.value().length).put(event.value());
    }
    return record.flip();
  }

  /**
   * Reads the events of a record.
   *
   * @throws IllegalArgumentException if it is not a record of this version; the message says why
   */
  static List<PendingEvent> decode(ByteBuffer payload) {
    ByteBuffer record = payload.slice();
    int version = record.hasRemaining() ? record.get() : 0;
    if (version != VERSION) {
      throw new IllegalArgumentException("events of version " + version);
    }
    int count = getInt(record);
    List<PendingEvent> events = new ArrayList<>(Math.min(Math.max(count, 0), record.remaining()));
    for (int index = 0; index < count; index++) {
      String topic = new String(getBytes(record, getLength(record)), StandardCharsets.UTF_8);
      events.add(new PendingEvent(topic, getBytes(record, getInt(record))));
    }
    if (count < 1 || record.hasRemaining()) {
      throw new IllegalArgumentException(
          count + " events, and " + record.remaining() + " bytes after them");
    }
    return events;
  }

  private static int getLength(ByteBuffer record) {
    require(record, 1);
    return record.get() & 0xFF;
  }

  private static int getInt(ByteBuffer record) {
    require(record, Integer.BYTES);
    return record.getInt();
  }

  private static byte[] getBytes(ByteBuffer record, int length) {
    require(record, length);
    byte[] bytes = new byte[length];
    record.get(bytes);
    return bytes;
  }

  private static void require(ByteBuffer record, int bytes) {
    if (bytes < 0 || record.remaining() < bytes) {
      throw new IllegalArgumentException("events that end too early");
    }
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
