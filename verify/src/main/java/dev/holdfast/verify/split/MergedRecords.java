package dev.holdfast.verify.split;

import dev.holdfast.journal.check.RecordCursor;
import dev.holdfast.spi.JournalRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the records of several journals in the order of their times, each journal in its order.
 * A time that is earlier than one before it in its journal counts as that one, and a time in the
 * future does not count: so every moment divides these records as it divides each journal, until
 * that time is passed, see {@link dev.holdfast.spi.JournalHistory#positionAt}. Events and the batch
 * of their turn stay together: they have one time. Confined to one thread.
 */
public final class MergedRecords implements AutoCloseable {

  private static final Comparator<Source> ORDER =
      Comparator.comparingLong((Source each) -> each.millis).thenComparingInt(each -> each.number);

  private final List<Source> sources = new ArrayList<>();
  private final long nowMillis;

  /** What takes the records. */
  @FunctionalInterface
  public interface Visitor {

    /**
     * Takes the next record.
     *
     * @param source the number of its journal
     * @param record the record
     * @param millis the time that counts for it; never goes back
     * @throws IOException if what is done with it fails
     */
    void visit(int source, JournalRecord record, long millis) throws IOException;
  }

  /** A journal, at the next record. */
  private final class Source {
    private final int number;
    private final RecordCursor cursor;
    private @Nullable JournalRecord record;

    /** The latest time of a record up to the next one. */
    private long millis = Long.MIN_VALUE;

    Source(int number, RecordCursor cursor) {
      this.number = number;
      this.cursor = cursor;
    }

    boolean advance() {
      record = cursor.next();
      if (record != null && record.wallMillis() <= nowMillis) {
        millis = Math.max(millis, record.wallMillis());
      }
      return record != null;
    }
  }

  /**
   * Opens the journals.
   *
   * @param cursors read them; closed with this
   * @param nowMillis times after this one are in the future
   */
  public MergedRecords(List<RecordCursor> cursors, long nowMillis) {
    this.nowMillis = nowMillis;
    cursors.forEach(each -> sources.add(new Source(sources.size(), each)));
  }

  /**
   * Passes on all records.
   *
   * @param visitor takes them
   * @throws IOException if the visitor throws it
   */
  public void forEach(Visitor visitor) throws IOException {
    PriorityQueue<Source> waiting = new PriorityQueue<>(ORDER);
    for (Source each : sources) {
      if (each.advance()) {
        waiting.add(each);
      }
    }
    for (Source first = waiting.poll(); first != null; first = waiting.poll()) {
      boolean goesOn = true;
      while (goesOn) {
        visitor.visit(first.number, Objects.requireNonNull(first.record), first.millis);
        goesOn = first.advance() && isBefore(first, waiting.peek());
      }
      if (first.record != null) {
        waiting.add(first);
      }
    }
  }

  private static boolean isBefore(Source first, @Nullable Source other) {
    return other == null || ORDER.compare(first, other) < 0;
  }

  @Override
  public void close() {
    close(sources.iterator());
  }

  private static void close(Iterator<Source> open) {
    if (open.hasNext()) {
      try (RecordCursor _ = open.next().cursor) {
        close(open); // the others, also if this one cannot be closed
      }
    }
  }
}
