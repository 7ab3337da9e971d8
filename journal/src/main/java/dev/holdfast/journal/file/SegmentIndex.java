package dev.holdfast.journal.file;

import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The records of a segment: for each, its object, the time it was appended and its offset. The
 * records of one object are chained from the newest to the oldest.
 *
 * <p>36 bytes for each record, the same in memory and in a file, plus 12 for the chains, which are
 * built with the index. A 64-bit hash stands for an object: the reader of a record checks that it
 * is the right one. Grows at its end; guarded by the lock of {@link SegmentHistory}.
 */
public final class SegmentIndex {

  static final int NONE = -1;

  static final int ENTRY_BYTES = 36;

  private static final int INITIAL_ENTRIES = 256;
  private static final int META_OFFSET = 8;
  private static final int PLACE_OFFSET = 16;
  private static final int LENGTH_OFFSET = 20;
  private static final int PREVIOUS_OFFSET = 24;
  private static final int PARTS_OFFSET = 32;

  /** Bits for kind and view in the word that also holds the time. */
  private static final int META_BITS = 16;

  private final long firstPosition;
  private final long baseWallMillis;

  private byte[] bytes;
  private ByteBuffer entries;
  private int count;

  /** For each record, the previous one with the same hash. */
  private int[] previous;

  /** Open addressing, at most half full: the newest record of each hash, plus one. */
  private int[] heads = new int[2 * INITIAL_ENTRIES];

  private int hashCount;

  /** The offset at which the next group of the segment is expected. */
  private long endOffset;

  /**
   * Creates an index without records.
   *
   * @param firstPosition of the segment
   * @param baseWallMillis when the segment was begun
   * @param firstGroupOffset the offset of its first group
   */
  public SegmentIndex(long firstPosition, long baseWallMillis, long firstGroupOffset) {
    this.firstPosition = firstPosition;
    this.baseWallMillis = baseWallMillis;
    this.endOffset = firstGroupOffset;
    this.bytes = new byte[INITIAL_ENTRIES * ENTRY_BYTES];
    this.entries = ByteBuffer.wrap(bytes);
    this.previous = new int[INITIAL_ENTRIES];
  }

  /** {@return the number that stands for an object} */
  static long hashOf(ObjectKey key) {
    ByteBuffer id = ByteBuffer.wrap(key.id().toBytes());
    byte[] namespace = key.namespace().getBytes(StandardCharsets.UTF_8);
    return hash(id, 0, namespace, 0, namespace.length);
  }

  /** {@return the same for a record in an array} */
  static long hashOf(byte[] source, int idOffset, int namespaceOffset, int namespaceBytes) {
    return hash(ByteBuffer.wrap(source), idOffset, source, namespaceOffset, namespaceBytes);
  }

  private static long hash(
      ByteBuffer id, int idOffset, byte[] namespace, int namespaceOffset, int namespaceBytes) {
    long hash = 0x9E3779B97F4A7C15L;
    for (int i = 0; i < namespaceBytes; i++) {
      hash = (hash ^ namespace[namespaceOffset + i]) * 0x100000001B3L;
    }
    for (int word = 0; word < 4; word++) {
      hash = mixed(hash ^ id.getLong(idOffset + 8 * word));
    }
    return hash;
  }

  private static long mixed(long value) {
    long half = (value ^ (value >>> 32)) * 0xD6E8FEB86659FD93L;
    return (half ^ (half >>> 32)) * 0xD6E8FEB86659FD93L;
  }

  void add(long hash, RecordHeader record, long offset) {
    assert (offset & 7) == 0 && offset >= endOffset;
    ensureRoom();
    int at = count * ENTRY_BYTES;
    long elapsedMillis = record.wallMillis() - baseWallMillis;
    long meta = (long) RecordHeader.codeOf(record.kind()) << 8 | record.viewId();
    entries
        .putLong(at, hash)
        .putLong(at + META_OFFSET, elapsedMillis << META_BITS | meta)
        .putInt(at + PLACE_OFFSET, (int) (offset >>> 3))
        .putInt(at + LENGTH_OFFSET, record.payloadBytes())
        .putLong(at + PREVIOUS_OFFSET, record.previous())
        .putInt(at + PARTS_OFFSET, record.parts());
    link(hash);
  }

  private void link(long hash) {
    if (2 * (hashCount + 1) > heads.length) {
      grow();
    }
    int slot = slotOf(hash);
    if (heads[slot] == 0) {
      hashCount++;
    }
    previous[count] = heads[slot] - 1;
    heads[slot] = ++count;
    assert 2 * hashCount <= heads.length && count <= previous.length;
  }

  private void ensureRoom() {
    if (count == previous.length) {
      previous = Arrays.copyOf(previous, Math.max(2 * count, INITIAL_ENTRIES));
      bytes = Arrays.copyOf(bytes, previous.length * ENTRY_BYTES);
      entries = ByteBuffer.wrap(bytes);
    }
  }

  private void grow() {
    int[] old = heads;
    heads = new int[2 * old.length];
    for (int head : old) {
      if (head != 0) {
        heads[slotOf(hash(head - 1))] = head;
      }
    }
  }

  private int slotOf(long hash) {
    int mask = heads.length - 1;
    int slot = (int) hash & mask;
    while (heads[slot] != 0 && hash(heads[slot] - 1) != hash) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Adds the entries of a file, in the form of {@link #toBytes}. */
  void addAll(byte[] source, int offset, int entryCount) {
    bytes = Arrays.copyOfRange(source, offset, offset + entryCount * ENTRY_BYTES);
    entries = ByteBuffer.wrap(bytes);
    previous = new int[entryCount];
    while (count < entryCount) {
      link(hash(count));
    }
  }

  /** {@return the entries, one after the other} */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, count * ENTRY_BYTES);
  }

  /**
   * Says where the records end.
   *
   * @param offset at which the next group is expected
   */
  public void endsAt(long offset) {
    assert offset >= endOffset;
    endOffset = offset;
  }

  /** {@return the offset at which the next group is expected} */
  public long endOffset() {
    return endOffset;
  }

  long firstPosition() {
    return firstPosition;
  }

  long baseWallMillis() {
    return baseWallMillis;
  }

  long nextPosition() {
    return firstPosition + count;
  }

  int count() {
    return count;
  }

  /** {@return the approximate memory size} */
  long heapBytes() {
    return bytes.length + 4L * (previous.length + heads.length);
  }

  /** {@return the newest record with a hash, at or before a position; {@link #NONE} if none} */
  int newest(long hash, long position) {
    int ordinal = heads[slotOf(hash)] - 1;
    while (ordinal >= 0 && firstPosition + ordinal > position) {
      ordinal = previous[ordinal];
    }
    return ordinal;
  }

  /** {@return the record before one, of the same hash; {@link #NONE} if it is the oldest here} */
  int before(int ordinal) {
    assert ordinal >= 0 && ordinal < count;
    return previous[ordinal];
  }

  /**
   * Returns the last position before the first record that is later than a time.
   *
   * @param wallMillis the time
   * @param nowMillis records later than this were stamped by a clock that was ahead, and are
   *     skipped
   * @return the position; that of the last record if none is later
   */
  long positionAt(long wallMillis, long nowMillis) {
    // Checked one by one: the clock may have moved in either direction between any two.
    for (int ordinal = 0; ordinal < count; ordinal++) {
      long stampedMillis = wallMillis(ordinal);
      if (stampedMillis > wallMillis && stampedMillis <= nowMillis) {
        return position(ordinal) - 1;
      }
    }
    return nextPosition() - 1;
  }

  long position(int ordinal) {
    assert ordinal >= 0 && ordinal < count;
    return firstPosition + ordinal;
  }

  long hash(int ordinal) {
    return entries.getLong(ordinal * ENTRY_BYTES);
  }

  long wallMillis(int ordinal) {
    return baseWallMillis + (entries.getLong(ordinal * ENTRY_BYTES + META_OFFSET) >> META_BITS);
  }

  RecordKind kind(int ordinal) {
    byte code = (byte) (entries.getLong(ordinal * ENTRY_BYTES + META_OFFSET) >>> 8);
    RecordKind kind = RecordHeader.kindOf(code);
    if (kind == null) {
      throw new IllegalStateException("Kind " + code + " in an index of position " + firstPosition);
    }
    return kind;
  }

  int viewId(int ordinal) {
    return (int) entries.getLong(ordinal * ENTRY_BYTES + META_OFFSET) & 0xFF;
  }

  /** {@return the link of a record; null if it changes no object} */
  @Nullable ChainLink link(int ordinal) {
    int at = ordinal * ENTRY_BYTES;
    return RecordHeader.linkOf(
        kind(ordinal), entries.getLong(at + PREVIOUS_OFFSET), entries.getInt(at + PARTS_OFFSET));
  }

  long offset(int ordinal) {
    return (entries.getInt(ordinal * ENTRY_BYTES + PLACE_OFFSET) & 0xFFFFFFFFL) << 3;
  }

  int payloadBytes(int ordinal) {
    return entries.getInt(ordinal * ENTRY_BYTES + LENGTH_OFFSET);
  }
}
