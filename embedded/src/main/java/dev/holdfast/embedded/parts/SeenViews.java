package dev.holdfast.embedded.parts;

import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A recovery log that knows which records there are once it was read as a whole: a view that wants
 * none of them does not read the journal once more to find none. Confined to one thread.
 */
final class SeenViews implements RecoveryLog {

  private final RecoveryLog log;

  /** For each kind, the views that have records of it: all that a selection sees of a record. */
  private final Map<RecordKind, BitSet> seen = new EnumMap<>(RecordKind.class);

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
    seen.values().forEach(unknown::or);
    unknown.clear(RecordKind.VOID_VIEW);
    unknown.clear(reader.viewId());
    others.forEach(view -> unknown.clear(view.viewId()));
    return unknown.stream().toArray();
  }

  private boolean hasAny(Selection wanted) {
    return seen.entrySet().stream()
        .anyMatch(
            each ->
                each.getValue().stream()
                    .anyMatch(viewId -> wanted.includes(viewId, each.getKey())));
  }

  @Override
  public void forEach(RecordVisitor visitor) {
    forEachFrom(log.firstPosition(), visitor);
  }

  @Override
  public void forEachFrom(long position, RecordVisitor visitor) {
    forEachFrom(position, (_, _) -> true, visitor);
  }

  /** A log asks for the view and kind of every record, whether it then reads the record or not. */
  @Override
  public void forEachFrom(long position, Selection wanted, RecordVisitor visitor) {
    if (position >= seenFrom && !hasAny(wanted)) {
      return;
    }
    log.forEachFrom(
        position,
        (viewId, kind) -> {
          seen.computeIfAbsent(kind, _ -> new BitSet()).set(viewId);
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
