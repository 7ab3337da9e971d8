package dev.holdfast.kills;

import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StoreTurn;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The smallest view of a journal that has redo and undo: pairs of texts, whose files are a map that
 * outlives a power cut. Saves when it is asked, if the test lets it. Thread-safe.
 */
final class PairsView implements JournalView {

  static final int VIEW_ID = 1;

  /** The files: they outlive the view. */
  static final class Files {
    private Map<ObjectKey, TreeMap<String, String>> saved = new HashMap<>();
    private Map<ObjectKey, Long> savedLast = Map.of();
    private long savedPosition;
  }

  private final Journal journal;
  private final Files files;
  private final Map<ObjectKey, TreeMap<String, String>> present = new HashMap<>();

  /** The position of the last batch of each object that has one. */
  private final Map<ObjectKey, Long> last = new HashMap<>();

  private long position;

  /** Whether the view saves when it is asked. */
  boolean saves = true;

  /** What a consumer or an archive has not read yet. */
  volatile long purgeFloor = Long.MAX_VALUE;

  PairsView(Journal journal, Files files) {
    this.journal = journal;
    this.files = files;
    this.position = files.savedPosition;
    last.putAll(files.savedLast);
    files.saved.forEach((key, pairs) -> present.put(key, new TreeMap<>(pairs)));
  }

  @Override
  public int viewId() {
    return VIEW_ID;
  }

  @Override
  public synchronized void recover(RecoveryLog log) {
    log.forEach(
        (view, kind) -> view == VIEW_ID && kind.isBatch(),
        record -> {
          if (record.position() > position) {
            apply(pairs(record.key()), record.payload(), /* isUndo= */ false);
            position = record.position();
            last.put(record.key(), position);
          }
        });
  }

  @Override
  public synchronized long lowWaterMark() {
    return files.savedPosition == position ? Long.MAX_VALUE : files.savedPosition + 1;
  }

  @Override
  public void checkpointBefore(long before) {
    save();
  }

  @Override
  public long purgeFloor() {
    return purgeFloor;
  }

  synchronized void save() {
    if (saves && position <= journal.durablePosition()) {
      Map<ObjectKey, TreeMap<String, String>> copy = new HashMap<>();
      present.forEach((key, pairs) -> copy.put(key, new TreeMap<>(pairs)));
      files.saved = copy;
      files.savedLast = Map.copyOf(last);
      files.savedPosition = position;
    }
  }

  synchronized TreeMap<String, String> content(ObjectKey key) {
    return new TreeMap<>(pairs(key));
  }

  /** {@return an earlier state} */
  synchronized TreeMap<String, String> past(ObjectKey key, LaterBatches later) {
    TreeMap<String, String> past = new TreeMap<>(pairs(key));
    later.newestFirst(lastBatch(key), record -> apply(past, record.payload(), /* isUndo= */ true));
    return past;
  }

  /** {@return the position of the batch that makes the object what is given} */
  synchronized long write(ObjectKey key, RecordKind kind, Map<String, String> content) {
    TreeMap<String, String> old = pairs(key);
    ByteBuffer payload = ByteBuffer.allocate(1 << 14);
    TreeMap<String, @Nullable String> changed = new TreeMap<>(old);
    changed.putAll(content);
    for (String name : changed.keySet()) {
      String before = old.get(name);
      String after = content.get(name);
      if (before == null || !before.equals(after)) {
        put(payload, name);
        put(payload, before);
        put(payload, after);
      }
    }
    ChainLink link = ChainLink.after(lastBatch(key));
    position = journal.append(kind, VIEW_ID, key, link, payload.flip());
    last.put(key, position);
    old.clear();
    old.putAll(content);
    return position;
  }

  /** {@return the batches of an object that the journal has after a position} */
  static int batchesAfter(HistoryCursor cursor, long position) {
    int count = 0;
    while (cursor.next() && cursor.position() > position) {
      count += cursor.viewId() == VIEW_ID ? 1 : 0;
    }
    return count;
  }

  ObjectStore store(ObjectKey key) {
    return new ObjectStore() {
      @Override
      public StoreTurn beginTurn() {
        throw new UnsupportedOperationException("The test writes itself.");
      }

      @Override
      public long restore(LaterBatches later) {
        return write(key, RecordKind.RESTORE, past(key, later));
      }

      @Override
      public void release() {}
    };
  }

  private long lastBatch(ObjectKey key) {
    return last.getOrDefault(key, Journal.START);
  }

  private TreeMap<String, String> pairs(ObjectKey key) {
    return present.computeIfAbsent(key, _ -> new TreeMap<>());
  }

  private static void apply(TreeMap<String, String> pairs, ByteBuffer payload, boolean isUndo) {
    ByteBuffer source = payload.duplicate();
    while (source.hasRemaining()) {
      String name = String.valueOf(text(source));
      String before = text(source);
      String after = text(source);
      String expected = isUndo ? after : before;
      if (!String.valueOf(expected).equals(String.valueOf(pairs.get(name)))) {
        throw new AssertionError(
            "A batch that is applied to " + pairs + " expects " + name + " to be " + expected);
      }
      String value = isUndo ? before : after;
      if (value == null) {
        pairs.remove(name);
      } else {
        pairs.put(name, value);
      }
    }
  }

  private static void put(ByteBuffer target, @Nullable String text) {
    byte[] bytes = text == null ? new byte[0] : text.getBytes(StandardCharsets.US_ASCII);
    target.putShort((short) (text == null ? -1 : bytes.length)).put(bytes);
  }

  private static @Nullable String text(ByteBuffer source) {
    int length = source.getShort();
    if (length < 0) {
      return null;
    }
    byte[] bytes = new byte[length];
    source.get(bytes);
    return new String(bytes, StandardCharsets.US_ASCII);
  }
}
