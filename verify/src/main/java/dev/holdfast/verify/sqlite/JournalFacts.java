package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.Marks;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What the journal says about each object, read once. Confined to one thread. */
final class JournalFacts {

  private final int viewId;
  private final long lowWaterMark;
  private final Marks marks;
  private final Map<ObjectKey, Facts> objects = new HashMap<>();

  JournalFacts(int viewId, RecoveryLog log) {
    this.viewId = viewId;
    this.lowWaterMark = log.firstPosition();
    this.marks = new Marks(viewId);
  }

  /** About one object; a few words for each. */
  private static final class Facts {
    private long base;
    private long lastBatch;
    private @Nullable SavedState newest;
  }

  /**
   * Reads all records that can be read.
   *
   * @param malformed receives records whose payload is not what this backend writes
   */
  void read(RecoveryLog log, BiConsumer<JournalRecord, String> malformed) {
    log.forEachFrom(
        0,
        (view, _) -> view == viewId,
        record -> {
          try {
            visit(record);
          } catch (IllegalArgumentException e) {
            malformed.accept(record, String.valueOf(e.getMessage()));
          }
        });
  }

  private void visit(JournalRecord record) {
    boolean isNeeded = record.position() >= lowWaterMark;
    if (record.kind() == RecordKind.CHECKPOINT && Mark.isMark(record)) {
      if (isNeeded) {
        marks.visit(record);
      }
      return;
    }
    Facts facts = objects.computeIfAbsent(record.key(), _ -> new Facts());
    if (record.kind() == RecordKind.CHECKPOINT) {
      SavedState state = SavedState.decode(record.payload());
      facts.newest = withoutSums(state);
      if (isNeeded) {
        facts.base = Math.max(facts.base, state.position());
      }
    } else {
      BatchReader batch = new BatchReader(record.payload());
      while (batch.next()) {
        // Reading an entry checks it.
      }
      if (record.kind().isBatch()) {
        facts.lastBatch = record.position();
      }
    }
  }

  private static SavedState withoutSums(SavedState state) {
    return new SavedState(
        state.position(), state.pageBytes(), state.pages(), state.checksum(), List.of());
  }

  /** {@return the catalog's records from the low-water mark on} */
  Marks marks() {
    return marks;
  }

  /** {@return the objects that the journal names} */
  Set<ObjectKey> keys() {
    return objects.keySet();
  }

  /** {@return whether recovery redoes a batch} */
  boolean isRedone(JournalRecord record) {
    Facts facts = objects.get(record.key());
    return record.kind().isBatch()
        && record.position() >= lowWaterMark
        && (facts == null || record.position() > facts.base);
  }

  /** {@return whether recovery redoes any batch of an object} */
  boolean isUnsaved(ObjectKey key) {
    Facts facts = objects.get(key);
    return facts != null && facts.lastBatch >= lowWaterMark && facts.lastBatch > facts.base;
  }

  /** {@return whether the file of an object was saved before a batch} */
  boolean isUnsavedAt(ObjectKey key, long position) {
    Facts facts = objects.get(key);
    return facts == null || position > facts.base;
  }

  /** {@return the newest saved state that the journal has; null if it has none} */
  @Nullable SavedState newestState(ObjectKey key) {
    Facts facts = objects.get(key);
    return facts == null ? null : facts.newest;
  }

  /** {@return the newest saved state, if the object has no later batch; else null} */
  @Nullable SavedState lastState(ObjectKey key) {
    Facts facts = objects.get(key);
    SavedState state = facts == null ? null : facts.newest;
    return facts != null && state != null && facts.lastBatch <= state.position() ? state : null;
  }
}
