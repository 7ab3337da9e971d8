package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.AlarmRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** The keys of the column family {@code catalog}; see {@code docs/formats/catalog.md}. */
public final class CatalogKeys {

  private static final byte STATE = 1;
  private static final byte NAMED = 2;
  private static final byte UNNAMED = 3;
  private static final byte ALARM = 4;
  private static final byte LAST_BATCH = 5;

  private static final int NAMESPACE_BYTES = 1 + Integer.BYTES;
  private static final int DUE_BYTES = NAMESPACE_BYTES + 1 + Long.BYTES;

  private CatalogKeys() {}

  /** {@return the key of the state of an object in the catalog} */
  public static byte[] state(ObjectPrefix prefix) {
    byte[] object = prefix.start();
    return ByteBuffer.allocate(1 + object.length).put(STATE).put(object).array();
  }

  /** {@return the key of the state of an object, by the prefix of its pairs} */
  public static byte[] state(byte[] prefix) {
    return ByteBuffer.allocate(1 + prefix.length).put(STATE).put(prefix).array();
  }

  /** {@return the key of the position of the last batch of an object} */
  public static byte[] lastBatch(ObjectPrefix prefix) {
    byte[] object = prefix.start();
    return ByteBuffer.allocate(1 + object.length).put(LAST_BATCH).put(object).array();
  }

  /** {@return where the last batches of the objects of a namespace begin, from an id on} */
  public static byte[] lastBatch(int namespace, byte[] fromId) {
    return key(LAST_BATCH, namespace, fromId);
  }

  /** {@return the prefix of the keys of the last batches of all objects} */
  public static byte[] lastBatches() {
    return new byte[] {LAST_BATCH};
  }

  /** {@return whether a key belongs to the last batch of an object} */
  public static boolean isLastBatch(byte[] key) {
    return key.length > 0 && key[0] == LAST_BATCH;
  }

  /** {@return whether a key belongs to the state of an object} */
  public static boolean isState(byte[] key) {
    return key.length > 0 && key[0] == STATE;
  }

  /** {@return the prefix of the pairs of an object, from the key of its state} */
  public static byte[] prefixOfState(byte[] key) {
    return Arrays.copyOfRange(key, 1, key.length);
  }

  public static byte[] named(int namespace, byte[] name) {
    return key(NAMED, namespace, name);
  }

  /** {@return the ids that the key of a name has as its value, in their order} */
  public static List<byte[]> ids(byte[] value) {
    List<byte[]> ids = new ArrayList<>();
    for (int start = 0; start < value.length; start += ObjectId.LENGTH_BYTES) {
      ids.add(Arrays.copyOfRange(value, start, start + ObjectId.LENGTH_BYTES));
    }
    return ids;
  }

  /** {@return the value of the key of a name that several objects may have} */
  public static byte[] joined(Collection<byte[]> ids) {
    ByteBuffer value = ByteBuffer.allocate(ids.size() * ObjectId.LENGTH_BYTES);
    ids.forEach(value::put);
    return value.array();
  }

  public static boolean isNamed(byte[] key) {
    return key[0] == NAMED;
  }

  public static byte[] unnamed(int namespace, byte[] id) {
    return key(UNNAMED, namespace, id);
  }

  private static byte[] key(byte kind, int namespace, byte[] rest) {
    return ByteBuffer.allocate(NAMESPACE_BYTES + rest.length)
        .put(kind)
        .putInt(namespace)
        .put(rest)
        .array();
  }

  /** {@return the part after the namespace in a key of an object with or without a name} */
  public static byte[] rest(byte[] key) {
    return Arrays.copyOfRange(key, NAMESPACE_BYTES, key.length);
  }

  public static byte[] alarm(int namespace, byte[] id, AlarmRecord alarm) {
    byte[] name = alarm.name().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(DUE_BYTES + id.length + name.length)
        .put(alarms(namespace, alarm.state()))
        .putLong(sortable(alarm.dueMillis()))
        .put(id)
        .put(name)
        .array();
  }

  /** {@return the prefix of all keys of alarms in a state} */
  public static byte[] alarms(int namespace, AlarmRecord.State state) {
    return ByteBuffer.allocate(NAMESPACE_BYTES + 1)
        .put(ALARM)
        .putInt(namespace)
        .put(state.code())
        .array();
  }

  /** {@return the first key after all alarms that are due at a time or before} */
  public static byte[] alarmsDueAfter(int namespace, AlarmRecord.State state, long dueMillis) {
    return dueMillis == Long.MAX_VALUE
        ? Keys.endOfPrefix(alarms(namespace, state))
        : ByteBuffer.allocate(DUE_BYTES)
            .put(alarms(namespace, state))
            .putLong(sortable(dueMillis + 1))
            .array();
  }

  /** {@return the prefixes of all keys that may have the name or an alarm of an object} */
  public static List<byte[]> prefixesWith(ObjectPrefix prefix, int namespace) {
    List<byte[]> found = new ArrayList<>();
    found.add(state(prefix));
    found.add(named(namespace, new byte[0]));
    for (AlarmRecord.State state : AlarmRecord.State.values()) {
      found.add(alarms(namespace, state));
    }
    return found;
  }

  public static ObjectId idOfAlarm(byte[] key) {
    return ObjectId.of(Arrays.copyOfRange(key, DUE_BYTES, DUE_BYTES + ObjectId.LENGTH_BYTES), null);
  }

  /** Maps signed numbers to the order of unsigned bytes. */
  private static long sortable(long value) {
    return value ^ Long.MIN_VALUE;
  }
}
