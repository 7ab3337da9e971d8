package dev.holdfast.backend.sqlite.saved;

import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.RecordKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The marks that the journal has when it is opened. Owned by the thread that recovers. */
public final class Marks {

  private final int viewId;
  private final List<Mark> marks = new ArrayList<>();
  private long firstPosition;

  /**
   * Creates an empty list.
   *
   * @param viewId whose marks
   */
  public Marks(int viewId) {
    this.viewId = viewId;
  }

  /**
   * Looks at a record of the journal.
   *
   * @param record the records come in order
   */
  public void visit(JournalRecord record) {
    if (firstPosition == 0) {
      firstPosition = record.position();
    }
    if (record.viewId() == viewId
        && record.kind() == RecordKind.CHECKPOINT
        && Mark.isMark(record)) {
      marks.add(Mark.decode(record));
    }
  }

  /** {@return the last one; null if there is none} */
  public @Nullable Mark newest() {
    return marks.isEmpty() ? null : marks.getLast();
  }

  /** {@return whether the journal has any} */
  public boolean isEmpty() {
    return marks.isEmpty();
  }

  /** {@return whether the journal has all its records since it was made} */
  public boolean isWholeJournal() {
    return firstPosition <= 1;
  }

  /**
   * Returns whether a file that was saved with a mark belongs to the journal.
   *
   * @param position the position of the mark; 0 if the file has none
   * @param token its token
   * @return whether the journal has all that came after the file
   */
  public boolean belongs(long position, long token) {
    if (position == 0) {
      return marks.stream().allMatch(each -> each.previous() == 0);
    }
    return marks.stream().anyMatch(each -> each.position() == position && each.token() == token);
  }
}
