package dev.holdfast.embedded.parts;

import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A recovery log that knows which records there are once it was read as a whole: a view that wants
 * none of them does not read the journal once more to find none. Confined to one thread.
 */
final class SeenViews implements RecoveryLog {

  /** What a selection sees of a record. */
  private record Sort(int viewId, RecordKind kind) {}

  private final RecoveryLog log;
  private final Set<Sort> seen = new HashSet<>();

  /** From where on every record was seen; the largest long if none was. */
  private long seenFrom = Long.MAX_VALUE;

  SeenViews(RecoveryLog log) {
    this.log = log;
  }

  /**
   * {@return the views whose records were seen and which are none of these}
   *
   * @param reader the view that has read
   * @param others the ones that will
   */
  int[] others(JournalView reader, List<JournalView> others) {
    BitSet unknown = new BitSet();
    seen.forEach(sort -> unknown.set(sort.viewId()));
    unknown.clear(RecordKind.VOID_VIEW);
    unknown.clear(reader.viewId());
    others.forEach(view -> unknown.clear(view.viewId()));
    return unknown.stream().toArray();
  }

  @Override
  public void forEach(RecordVisitor visitor) {
    forEachFrom(log.firstPosition(), visitor);
  }

  @Override
  public void forEachFrom(long position, RecordVisitor visitor) {
    log.forEachFrom(
        position,
        record -> {
          seen.add(new Sort(record.viewId(), record.kind()));
          visitor.visit(record);
        });
    seenFrom = Math.min(seenFrom, position);
  }

  /** A log asks for the sort of every record, whether it then reads the record or not. */
  @Override
  public void forEachFrom(long position, Selection wanted, RecordVisitor visitor) {
    if (position >= seenFrom
        && seen.stream().noneMatch(sort -> wanted.includes(sort.viewId(), sort.kind()))) {
      return;
    }
    log.forEachFrom(
        position,
        (viewId, kind) -> {
          seen.add(new Sort(viewId, kind));
          return wanted.includes(viewId, kind);
        },
        visitor);
    seenFrom = Math.min(seenFrom, position);
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
