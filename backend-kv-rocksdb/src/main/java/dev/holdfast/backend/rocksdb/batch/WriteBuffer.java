package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.spi.KeyRange;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The writes of a turn that are not sealed, with the savepoints that can roll them back.
 *
 * <p>A savepoint keeps, for each key written while it is the innermost, the turn's previous write
 * to that key; so the cost of a rollback is proportional to the writes since.
 *
 * <p>Owned by the thread that runs the turn.
 */
public final class WriteBuffer {

  /** The state when a savepoint was opened. */
  private static final class Savepoint {
    /** For each key written since: the turn's write before, or null if there was none. */
    private final NavigableMap<byte[], @Nullable BufferedWrite> before = new TreeMap<>(Keys.ORDER);

    /** Whether everything was deleted since; then later writes need not be recorded. */
    private boolean clearedSince;

    // What the first deleteAll since then set aside.
    private @Nullable NavigableMap<byte[], BufferedWrite> writesAside;
    private boolean clearedBefore;
  }

  /** Each key written; its value is null if it is deleted. Created at the first write. */
  private @Nullable NavigableMap<byte[], BufferedWrite> writes;

  private boolean cleared;
  private final Deque<Savepoint> savepoints = new ArrayDeque<>(0);

  /** {@return the turn's write to a key; null if it did not write the key} */
  public @Nullable BufferedWrite find(byte[] name) {
    return writes == null ? null : writes.get(name);
  }

  /** {@return whether the turn has deleted everything that was sealed} */
  public boolean isCleared() {
    return cleared;
  }

  /** {@return all writes, in order of key} */
  public Map<byte[], BufferedWrite> all() {
    return writes == null ? Map.of() : writes;
  }

  /** Records a new value, or a deletion. */
  public void put(byte[] name, BufferedWrite value) {
    remember(name, made().put(name, value));
  }

  /** Removes the write to a key, if there is one. */
  public void remove(byte[] name) {
    remember(name, made().remove(name));
  }

  /** Removes all writes; the sealed pairs are deleted. */
  public void clear() {
    Savepoint innermost = savepoints.peek();
    if (innermost != null && !innermost.clearedSince) {
      innermost.clearedSince = true;
      innermost.writesAside = writes;
      innermost.clearedBefore = cleared;
    }
    writes = null;
    cleared = true;
  }

  private void remember(byte[] name, @Nullable BufferedWrite write) {
    Savepoint innermost = savepoints.peek();
    if (innermost != null && !innermost.clearedSince && !innermost.before.containsKey(name)) {
      innermost.before.put(name, write);
    }
  }

  public void openSavepoint() {
    savepoints.push(new Savepoint());
  }

  public void releaseSavepoint() {
    Savepoint ended = savepoints.pop();
    Savepoint around = savepoints.peek();
    if (around == null || around.clearedSince) {
      return;
    }
    // Not putIfAbsent: a key without a previous write is present with null.
    ended.before.forEach(
        (name, write) -> {
          if (!around.before.containsKey(name)) {
            around.before.put(name, write);
          }
        });
    around.clearedSince = ended.clearedSince;
    around.writesAside = ended.writesAside;
    around.clearedBefore = ended.clearedBefore;
  }

  public void rollbackToSavepoint() {
    Savepoint ended = savepoints.pop();
    if (ended.clearedSince) {
      writes = ended.writesAside;
      cleared = ended.clearedBefore;
    }
    if (ended.before.isEmpty()) {
      return;
    }
    NavigableMap<byte[], BufferedWrite> restored = made();
    ended.before.forEach(
        (name, write) -> {
          if (write == null) {
            restored.remove(name);
          } else {
            restored.put(name, write);
          }
        });
  }

  public boolean hasSavepoint() {
    return !savepoints.isEmpty();
  }

  /**
   * {@return the write after a key in the order of the range, null for the first; null if there is
   * none}
   */
  public Map.@Nullable Entry<byte[], BufferedWrite> after(byte @Nullable [] name, KeyRange range) {
    NavigableMap<byte[], BufferedWrite> own = writes;
    if (own == null) {
      return null;
    }
    return range.reverse() ? below(own, name, range) : above(own, name, range);
  }

  private static Map.@Nullable Entry<byte[], BufferedWrite> above(
      NavigableMap<byte[], BufferedWrite> own, byte @Nullable [] name, KeyRange range) {
    byte[] start = range.startInclusive();
    Map.Entry<byte[], BufferedWrite> entry;
    if (name != null) {
      entry = own.higherEntry(name);
    } else {
      entry = start == null ? own.firstEntry() : own.ceilingEntry(start);
    }
    byte[] end = range.endExclusive();
    return entry == null || (end != null && Keys.ORDER.compare(entry.getKey(), end) >= 0)
        ? null
        : entry;
  }

  private static Map.@Nullable Entry<byte[], BufferedWrite> below(
      NavigableMap<byte[], BufferedWrite> own, byte @Nullable [] name, KeyRange range) {
    byte[] limit = name == null ? range.endExclusive() : name;
    Map.Entry<byte[], BufferedWrite> entry =
        limit == null ? own.lastEntry() : own.lowerEntry(limit);
    byte[] start = range.startInclusive();
    return entry == null || (start != null && Keys.ORDER.compare(entry.getKey(), start) < 0)
        ? null
        : entry;
  }

  private NavigableMap<byte[], BufferedWrite> made() {
    NavigableMap<byte[], BufferedWrite> present = writes;
    if (present == null) {
      present = new TreeMap<>(Keys.ORDER);
      writes = present;
    }
    return present;
  }
}
