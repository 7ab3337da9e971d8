package dev.holdfast.pitr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.ObjectId;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.testkit.InMemoryHistory;
import dev.holdfast.testkit.InMemoryJournal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * Every record of an object between its last batch and a moment, in random histories with parts,
 * parts that a crash has left, notes and other objects, is missed if it is dropped.
 */
class BatchChainTest {

  private static final int VIEW = 2;
  private static final ObjectKey KEY = new ObjectKey("things", ObjectId.of(new byte[32], null));
  private static final ObjectKey OTHER = new ObjectKey("others", ObjectId.of(new byte[32], null));

  /** A journal of one object among others, of which one record can be dropped. */
  private static final class Past {

    private final InMemoryJournal journal =
        new InMemoryJournal(InMemoryJournal.Durability.ON_APPEND);
    private final List<Long> chained = new ArrayList<>();
    private final List<Long> batches = new ArrayList<>();
    private long last = Journal.START;

    /** What one number stands for. */
    void add(int step) {
      switch (step) {
        case 0, 1 -> batch(0);
        case 2 -> batch(1 + step);
        case 3 -> batch(2);
        case 4 -> parts(2); // a crash comes before their batch
        case 5 -> journal.append(RecordKind.NOTE, RestoreLedger.VIEW_ID, KEY, note());
        default -> append(RecordKind.BATCH, OTHER, ChainLink.FIRST);
      }
    }

    private static ByteBuffer note() {
      return new RestoreRecord.Withdrawn().encode();
    }

    private void batch(int parts) {
      List<Long> made = parts(parts);
      ChainLink link = new ChainLink(last, parts);
      chained.addAll(made);
      last = append(RecordKind.BATCH, KEY, link);
      chained.add(last);
      batches.add(last);
    }

    private List<Long> parts(int count) {
      List<Long> made = new ArrayList<>();
      for (int number = 1; number <= count; number++) {
        made.add(append(RecordKind.UNDO_PART, KEY, new ChainLink(last, number)));
        append(RecordKind.BATCH, OTHER, ChainLink.FIRST);
      }
      return made;
    }

    private long append(RecordKind kind, ObjectKey key, ChainLink link) {
      return journal.append(kind, VIEW, key, link, ByteBuffer.allocate(1));
    }

    /** The batches and parts after a moment, newest first, without a record. */
    List<Long> walk(long target, long dropped) {
      List<Long> found = new ArrayList<>();
      new BatchChain(new WithoutRecord(journal, dropped), _ -> 0)
          .walk(
              KEY,
              last,
              target,
              new BatchChain.Visitor() {
                @Override
                public void batch(HistoryCursor record) {
                  found.add(record.position());
                }
              });
      return found;
    }

    /** The batches that a way back to a moment passes, with all of their parts. */
    List<Long> after(long target) {
      long from = batches.stream().filter(each -> each <= target).reduce(0L, Math::max);
      return chained.stream()
          .filter(each -> each > from && last > target)
          .sorted((one, two) -> Long.compare(two, one))
          .toList();
    }
  }

  /** The history of a journal whose index misses a record. */
  private static final class WithoutRecord extends KeptRecords {

    private final InMemoryHistory all;
    private final long dropped;

    WithoutRecord(InMemoryJournal journal, long dropped) {
      super(journal);
      this.all = new InMemoryHistory(journal);
      this.dropped = dropped;
    }

    @Override
    public HistoryCursor newestFirst(ObjectKey key, long fromPosition) {
      return all.newestFirst(key, fromPosition, 1, position -> position != dropped);
    }
  }

  @Property(tries = 60)
  void anyRecordBetweenThePresentAndAMomentIsMissed(
      @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 6) Integer> steps) {
    Past past = new Past();
    steps.forEach(past::add);
    long end = past.journal.lastPosition();
    for (long moment = 0; moment <= end; moment++) {
      long target = moment;
      List<Long> needed = past.after(target);
      assertThat(past.walk(target, 0)).isEqualTo(needed);
      for (long dropped : past.chained) {
        boolean isNeeded = needed.contains(dropped) || dropped == past.last;
        if (isNeeded) {
          assertThatThrownBy(() -> past.walk(target, dropped))
              .as("without %s, to %s, of %s", dropped, target, steps)
              .isInstanceOfSatisfying(
                  BookmarkException.class,
                  e -> assertThat(e.reason()).isEqualTo(Reason.HISTORY_INCOMPLETE));
        } else {
          assertThat(past.walk(target, dropped)).isEqualTo(needed);
        }
      }
    }
  }
}
