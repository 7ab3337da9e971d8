package dev.holdfast.runtime.internal.outbox;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The place of a consumer as a record of the journal; {@code docs/formats/events.md} describes it.
 *
 * @param name the consumer
 * @param place its place; null if it was removed
 */
public record ConsumerRecord(ConsumerName name, @Nullable EventPlace place) {

  private static final byte VERSION = 1;
  private static final byte REMOVED = 0;
  private static final byte AT_PLACE = 1;

  /** {@return the bytes of this record} */
  public ByteBuffer encode() {
    byte[] topic = EventRecord.utf8(name.topic());
    byte[] own = EventRecord.utf8(name.name());
    ByteBuffer record =
        ByteBuffer.allocate(4 + topic.length + own.length + Long.BYTES + Integer.BYTES);
    record.put(VERSION).put(place == null ? REMOVED : AT_PLACE);
    record.put((byte) topic.length).put(topic).put((byte) own.length).put(own);
    if (place != null) {
      record.putLong(place.position()).putInt(place.index());
    }
    return record.flip();
  }

  /**
   * Reads a record.
   *
   * @param payload the payload; not changed
   * @return the record
   * @throws IllegalArgumentException if it is not a record of this version; the message says why
   */
  public static ConsumerRecord decode(ByteBuffer payload) {
    ByteBuffer record = payload.slice();
    int version = getByte(record);
    int state = getByte(record);
    if (version != VERSION || state > AT_PLACE) {
      throw new IllegalArgumentException("a consumer of version " + version + ", state " + state);
    }
    ConsumerName name = new ConsumerName(getText(record), getText(record));
    EventPlace place = null;
    if (state == AT_PLACE) {
      require(record, Long.BYTES + Integer.BYTES);
      place = new EventPlace(record.getLong(), record.getInt());
    }
    if (record.hasRemaining()) {
      throw new IllegalArgumentException(record.remaining() + " bytes after a consumer");
    }
    return new ConsumerRecord(name, place);
  }

  private static String getText(ByteBuffer record) {
    byte[] text = new byte[getByte(record)];
    require(record, text.length);
    record.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }

  private static int getByte(ByteBuffer record) {
    require(record, 1);
    return record.get() & 0xFF;
  }

  private static void require(ByteBuffer record, int bytes) {
    if (record.remaining() < bytes) {
      throw new IllegalArgumentException("a consumer that ends too early");
    }
  }
}
