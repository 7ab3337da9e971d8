package dev.holdfast.spi.catalog;

import dev.holdfast.filter.Headers;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The catalog change of a batch: the part of its payload that {@code docs/formats/catalog.md}
 * describes. It states the result, not the difference, so applying it twice, or again from an
 * earlier record on, is harmless. Immutable.
 *
 * @param exists whether the object is in the directory after the batch; if not, it has no alarms
 * @param name the object's name if the writer had it; null for no change
 * @param alarms all its alarms after and before the batch; null for no change
 */
public record CatalogChange(boolean exists, @Nullable String name, @Nullable Alarms alarms) {

  private static final byte VERSION = 1;
  private static final int EXISTS = 1;
  private static final int HAS_NAME = 2;
  private static final int HAS_ALARMS = 4;

  /** Earlier builds refuse it, instead of losing the headers. */
  private static final int HAS_HEADERS = 8;

  private static final int ALL_FLAGS = EXISTS | HAS_NAME | HAS_ALARMS | HAS_HEADERS;
  private static final int VARINT_BYTES_MAX = 5;

  /** The smallest encoded alarm. */
  private static final int ALARM_BYTES_MIN = 20;

  /**
   * The alarms of an object after and before a batch.
   *
   * @param after the redo
   * @param before the undo
   */
  public record Alarms(List<AlarmRecord> after, List<AlarmRecord> before) {

    /** Copies the lists. */
    public Alarms {
      after = List.copyOf(after);
      before = List.copyOf(before);
    }

    boolean haveHeaders() {
      return Stream.concat(after.stream(), before.stream())
          .anyMatch(alarm -> !alarm.headers().isEmpty());
    }
  }

  /** {@return the bytes of this change} */
  public byte[] encode() {
    ByteArrayOutputStream target = new ByteArrayOutputStream(64);
    boolean haveHeaders = alarms != null && alarms.haveHeaders();
    target.write(VERSION);
    target.write(
        (exists ? EXISTS : 0)
            | (name != null ? HAS_NAME : 0)
            | (alarms != null ? HAS_ALARMS : 0)
            | (haveHeaders ? HAS_HEADERS : 0));
    if (name != null) {
      putText(target, name);
    }
    if (alarms != null) {
      putAlarms(target, alarms.after(), haveHeaders);
      putAlarms(target, alarms.before(), haveHeaders);
    }
    return target.toByteArray();
  }

  /**
   * Reads a change.
   *
   * @param source from its position to its limit; not changed
   * @return the change
   * @throws IllegalArgumentException if the bytes are not a change of this version; the message
   *     says why
   */
  public static CatalogChange decode(ByteBuffer source) {
    ByteBuffer bytes = source.slice();
    int version = getByte(bytes);
    if (version != VERSION) {
      throw new IllegalArgumentException("catalog change of version " + version);
    }
    int flags = getByte(bytes);
    boolean haveHeaders = (flags & HAS_HEADERS) != 0;
    if (flags > ALL_FLAGS || (haveHeaders && (flags & HAS_ALARMS) == 0)) {
      throw new IllegalArgumentException("flags " + flags + " in a catalog change");
    }
    String name = (flags & HAS_NAME) != 0 ? getText(bytes) : null;
    Alarms alarms =
        (flags & HAS_ALARMS) != 0
            ? new Alarms(getAlarms(bytes, haveHeaders), getAlarms(bytes, haveHeaders))
            : null;
    if (bytes.hasRemaining()) {
      throw new IllegalArgumentException(bytes.remaining() + " bytes after a catalog change");
    }
    return new CatalogChange((flags & EXISTS) != 0, name, alarms);
  }

  private static void putAlarms(
      ByteArrayOutputStream target, List<AlarmRecord> alarms, boolean withHeaders) {
    putVarint(target, alarms.size());
    for (AlarmRecord alarm : alarms) {
      putText(target, alarm.name());
      target.write(alarm.state().code());
      putLong(target, alarm.dueMillis());
      putLong(target, alarm.scheduledMillis());
      putVarint(target, alarm.retryCount());
      putText(target, alarm.schedule());
      if (withHeaders) {
        putBytes(target, AlarmHeaders.encode(alarm.headers()));
      }
    }
  }

  private static List<AlarmRecord> getAlarms(ByteBuffer source, boolean withHeaders) {
    int count = getVarint(source);
    List<AlarmRecord> alarms =
        new ArrayList<>(Math.min(count, source.remaining() / ALARM_BYTES_MIN));
    for (int index = 0; index < count; index++) {
      alarms.add(
          new AlarmRecord(
              getText(source),
              State.of(getByte(source)),
              getLong(source),
              getLong(source),
              getVarint(source),
              getText(source),
              withHeaders ? AlarmHeaders.decode(getBytes(source)) : Headers.NONE));
    }
    return alarms;
  }

  private static void putText(ByteArrayOutputStream target, String text) {
    putBytes(target, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void putBytes(ByteArrayOutputStream target, byte[] bytes) {
    putVarint(target, bytes.length);
    target.writeBytes(bytes);
  }

  private static String getText(ByteBuffer source) {
    return new String(getBytes(source), StandardCharsets.UTF_8);
  }

  private static byte[] getBytes(ByteBuffer source) {
    int length = getVarint(source);
    requireRemaining(source, length);
    byte[] bytes = new byte[length];
    source.get(bytes);
    return bytes;
  }

  private static void putLong(ByteArrayOutputStream target, long value) {
    target.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(0, value).array());
  }

  private static long getLong(ByteBuffer source) {
    requireRemaining(source, Long.BYTES);
    return source.getLong();
  }

  private static void putVarint(ByteArrayOutputStream target, int value) {
    int rest = value;
    while (rest >= 0x80) {
      target.write(rest | 0x80);
      rest >>>= 7;
    }
    target.write(rest);
  }

  private static int getVarint(ByteBuffer source) {
    long value = 0;
    for (int index = 0; index < VARINT_BYTES_MAX; index++) {
      int next = getByte(source);
      value |= (long) (next & 0x7F) << (7 * index);
      if (next < 0x80) {
        if (value > Integer.MAX_VALUE) {
          break;
        }
        return (int) value;
      }
    }
    throw new IllegalArgumentException("a number above 2^31-1 in a catalog change");
  }

  private static int getByte(ByteBuffer source) {
    requireRemaining(source, 1);
    return source.get() & 0xFF;
  }

  private static void requireRemaining(ByteBuffer source, int bytes) {
    if (bytes < 0 || source.remaining() < bytes) {
      throw new IllegalArgumentException("a catalog change that ends too early");
    }
  }
}
