package dev.holdfast.embedded.parts;

import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import java.util.BitSet;
import java.util.List;

/**
 * A recovery log that knows whose records a reader has been passed over: what the first view reads
 * says which others there are, and nobody reads the journal once more for it. Confined to one
 * thread.
 */
final class SeenViews implements RecoveryLog {

  private final RecoveryLog log;
  private final BitSet seen = new BitSet();

  SeenViews(RecoveryLog log) {
    this.log = log;
  }

  /** {@return whether a record of a view was read, wanted or not} */
  boolean has(int viewId) {
    return seen.get(viewId);
  }

  /**
   * {@return the views whose records were seen and which are none of these}
   *
   * @param reader the view that has read
   * @param others the ones that will
   */
  int[] others(JournalView reader, List<JournalView> others) {
    BitSet unknown = (BitSet) seen.clone();
    unknown.clear(RecordKind.VOID_VIEW);
    unknown.clear(reader.viewId());
    others.forEach(view -> unknown.clear(view.viewId()));
    return unknown.stream().toArray();
  }

  private RecordVisitor seeing(RecordVisitor visitor) {
    return record -> {
      see(record);
      visitor.visit(record);
    };
  }

  private void see(JournalRecord record) {
    seen.set(record.viewId());
  }

  @Override
  public void forEach(RecordVisitor visitor) {
    log.forEach(seeing(visitor));
  }

  @Override
  public void forEachFrom(long position, RecordVisitor visitor) {
    log.forEachFrom(position, seeing(visitor));
  }

  /** A log asks for the records of every view, whether it then reads them or not. */
  @Override
  public void forEachFrom(long position, Selection wanted, RecordVisitor visitor) {
    log.forEachFrom(
        position,
        (viewId, kind) -> {
          seen.set(viewId);
          return wanted.includes(viewId, kind);
        },
        visitor);
  }

  @Override
  public long firstPosition() {
    return log.firstPosition();
  }

  @Override
  public long oldestPosition() {
    return log.oldestPosition();
  }

  @Override
  public void forEachOfOthers(Selection wanted, RecordVisitor visitor) {
    log.forEachOfOthers(wanted, visitor);
  }

  @Override
  public long journalId() {
    return log.journalId();
  }
}
