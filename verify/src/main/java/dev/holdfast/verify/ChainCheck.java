package dev.holdfast.verify;

import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.pitr.PurgedObjects;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Proves that the past of each object is whole, from the oldest record that is kept on: every batch
 * follows the one that it names, has all of its parts, and the last one is that of the object's
 * files. Confined to one thread.
 */
final class ChainCheck {

  private final Path directory;
  private final RecoveryLog records;
  private final Consumer<Finding> findings;
  private final Map<ObjectKey, Long> purged;
  private final Map<ObjectKey, Chain> chains = new HashMap<>();
  private final Set<Long> erased = new HashSet<>();

  /** What was read of one object. */
  private static final class Chain {
    private long lastBatch = Journal.START;
    private int parts;
    private long partsAfter;
    private boolean isReported;
  }

  /**
   * @param directory of the journal, for the findings
   */
  ChainCheck(Path directory, RecoveryLog records, Consumer<Finding> findings) {
    this.directory = directory;
    this.records = records;
    this.findings = findings;
    this.purged = PurgedObjects.endsIn(records);
  }

  /** Reads all records that can be read. */
  void run() {
    records.forEachFrom(
        records.oldestPosition(),
        (view, kind) ->
            view == RecordKind.VOID_VIEW
                || (kind.isChained()
                    && (view == SqliteBackend.VIEW_ID || view == RocksDbBackend.VIEW_ID)),
        record -> {
          if (record.viewId() != RecordKind.VOID_VIEW) {
            visit(record);
          } else if (record.isErased()) {
            erased.add(record.position());
          }
        });
  }

  private void visit(JournalRecord record) {
    Chain chain = chains.computeIfAbsent(record.key(), _ -> new Chain());
    ChainLink link = record.requireLink();
    if (record.kind() == RecordKind.UNDO_PART) {
      // Parts that a crash has left are followed by a first one.
      boolean isNext = link.parts() == chain.parts + 1 && link.previous() == chain.partsAfter;
      if (!isNext && link.parts() != 1 && !isGone(record.key(), link.previous() + 1)) {
        report(chain, record.key(), "a part of a change before journal position ", record);
      }
      chain.parts = link.parts();
      chain.partsAfter = link.previous();
      return;
    }
    if (link.previous() != chain.lastBatch
        && !isGone(record.key(), link.previous())
        && !isOther(chain, link.previous())) {
      report(chain, record.key(), "the change before that at journal position ", record);
    }
    boolean hasParts = link.parts() == 0 || link.parts() == chain.parts;
    if (!hasParts && !isGone(record.key(), link.previous() + 1)) {
      report(chain, record.key(), "a part of the change at journal position ", record);
    }
    chain.lastBatch = record.position();
    chain.parts = 0;
  }

  /**
   * {@return whether what is taken for the last batch of an object is another record, which is
   * there: the files did not know the last batch any more, and another chain begins}
   */
  private boolean isOther(Chain chain, long position) {
    return position > chain.lastBatch
        && position >= records.oldestPosition()
        && !erased.contains(position);
  }

  /** {@return whether retention or a purge may have taken what was at a position} */
  private boolean isGone(ObjectKey key, long position) {
    Long end = purged.get(key);
    boolean isDropped = records.oldestPosition() > 1 && position < records.oldestPosition();
    return isDropped || (end != null && position <= end);
  }

  /**
   * Checks the end of the past of an object.
   *
   * @param position its last batch, as its files have it
   * @param end the last position of the journal
   */
  void requireLast(ObjectKey key, long position, long end) {
    Chain chain = chains.getOrDefault(key, new Chain());
    if (position > chain.lastBatch
        && position <= end
        && !isGone(key, position)
        && !isOther(chain, position)) {
      report(chain, key, "the change at journal position " + position);
    }
  }

  private void report(Chain chain, ObjectKey key, String what, JournalRecord record) {
    report(chain, key, what + record.position());
  }

  private void report(Chain chain, ObjectKey key, String what) {
    if (chain.isReported) {
      return;
    }
    chain.isReported = true;
    findings.accept(
        new Finding(
            Severity.ERROR,
            FindingKind.HISTORY_INCOMPLETE,
            directory,
            0,
            key,
            "The history of the object is not whole: " + what + " is missing.",
            "Earlier states of the object: none is given out that needs what is missing. The"
                + " present one does not depend on it.",
            "Restore the whole data directory from one backup if earlier states are needed."));
  }
}
