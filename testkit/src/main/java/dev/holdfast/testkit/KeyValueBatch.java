package dev.holdfast.testkit;

import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one turn: for each key the value after it (redo) and before it (undo). Immutable.
 *
 * <p>As a payload: the number of changes, then for each the key, the redo and the undo, each a
 * length of four bytes, big-endian, and the bytes; the length -1 means no value. Then, in the same
 * form, the change of the catalog.
 *
 * @param changes in ascending order of key
 * @param catalog the change of the catalog; null for none
 */
record KeyValueBatch(List<Change> changes, @Nullable CatalogChange catalog) {

  /** The three lengths of a change. */
  private static final int CHANGE_BYTES_MIN = 3 * Integer.BYTES;

  /**
   * One changed key.
   *
   * @param key the key
   * @param redo its value after the turn; null if it has none
   * @param undo its value before the turn; null if it had none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, never changed
  record Change(byte[] key, byte @Nullable [] redo, byte @Nullable [] undo) {

    boolean changesNothing() {
      return Arrays.equals(redo, undo);
    }
  }

  /** {@return the batch that changes one state into another} */
  static KeyValueBatch between(
      NavigableMap<byte[], byte[]> from,
      NavigableMap<byte[], byte[]> to,
      @Nullable CatalogChange catalog) {
    NavigableSet<byte[]> keys = new TreeSet<>(InMemoryBackend.KEY_ORDER);
    keys.addAll(from.keySet());
    keys.addAll(to.keySet());
    return new KeyValueBatch(
        keys.stream()
            .map(key -> new Change(key, to.get(key), from.get(key)))
            .filter(change -> !change.changesNothing())
            .toList(),
        catalog);
  }

  /** Changes the object's data to the state after the turn. */
  void redo(NavigableMap<byte[], byte[]> data) {
    for (Change change : changes) {
      set(data, change.key(), change.redo());
    }
  }

  /** Changes the object's data to the state before the turn. */
  void undo(NavigableMap<byte[], byte[]> data) {
    for (Change change : changes) {
      set(data, change.key(), change.undo());
    }
  }

  private static void set(NavigableMap<byte[], byte[]> data, byte[] key, byte @Nullable [] value) {
    if (value == null) {
      data.remove(key);
    } else {
      data.put(key, value);
    }
  }

  boolean isEmpty() {
    return changes.isEmpty() && catalog == null;
  }

  ByteBuffer encode() {
    byte[] catalogBytes = catalog == null ? null : catalog.encode();
    int bytes = Integer.BYTES + size(catalogBytes);
    for (Change change : changes) {
      bytes += size(change.key()) + size(change.redo()) + size(change.undo());
    }
    ByteBuffer target = ByteBuffer.allocate(bytes).putInt(changes.size());
    for (Change change : changes) {
      write(change.key(), target);
      write(change.redo(), target);
      write(change.undo(), target);
    }
    write(catalogBytes, target);
    return target.flip();
  }

  static KeyValueBatch decode(ByteBuffer payload) {
    ByteBuffer source = payload.duplicate();
    int count = source.getInt();
    if (count < 0 || count > source.remaining() / CHANGE_BYTES_MIN) {
      throw new IllegalArgumentException(
          "Not a batch of this backend: " + count + " changes in " + source.remaining() + " bytes");
    }
    List<Change> changes = new ArrayList<>(count);
    for (int index = 0; index < count; index++) {
      byte[] key = read(source);
      if (key == null) {
        throw new IllegalArgumentException("A change has no key: at byte " + source.position());
      }
      changes.add(new Change(key, read(source), read(source)));
    }
    byte[] catalogBytes = read(source);
    return new KeyValueBatch(
        changes, catalogBytes == null ? null : CatalogChange.decode(ByteBuffer.wrap(catalogBytes)));
  }

  private static int size(byte @Nullable [] bytes) {
    return Integer.BYTES + (bytes == null ? 0 : bytes.length);
  }

  private static void write(byte @Nullable [] bytes, ByteBuffer target) {
    if (bytes == null) {
      target.putInt(-1);
    } else {
      target.putInt(bytes.length).put(bytes);
    }
  }

  private static byte @Nullable [] read(ByteBuffer source) {
    int length = source.getInt();
    if (length < 0) {
      return null;
    }
    byte[] bytes = new byte[length];
    source.get(bytes);
    return bytes;
  }
}
