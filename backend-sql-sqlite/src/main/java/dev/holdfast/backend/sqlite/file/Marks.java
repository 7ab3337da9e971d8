package dev.holdfast.backend.sqlite.file;

import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecordVisitor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The journal's records of the catalog when it is opened: its marks, and the states of its file.
 * Confined to the thread that recovers.
 */
public final class Marks {

  private final int viewId;
  private final List<Mark> marks = new ArrayList<>();
  private final List<CatalogState> states = new ArrayList<>();
  private long lastPosition;
  private long statePosition;
  private Consumer<RecordVisitor> others = _ -> {};

  /**
   * Creates an empty list.
   *
   * @param viewId the view of the marks
   */
  public Marks(int viewId) {
    this.viewId = viewId;
  }

  /**
   * Reads a record of the journal.
   *
   * @param record the records come in order
   * @throws IllegalArgumentException if it is a malformed record of the catalog
   */
  public void visit(JournalRecord record) {
    if (record.viewId() != viewId
        || record.kind() != RecordKind.CHECKPOINT
        || !Mark.isMark(record)) {
      return;
    }
    lastPosition = record.position();
    if (CatalogState.isState(record)) {
      add(record.position(), CatalogState.decode(record));
    } else {
      marks.add(Mark.decode(record));
    }
  }

  /**
   * Sets where else the records of the catalog may be: a node that has fetched a part of the
   * journal does not know which records in it are its own.
   *
   * @param passed passes all of them, and the marks of other nodes
   */
  public void others(Consumer<RecordVisitor> passed) {
    others = passed;
  }

  /** {@return the last mark; null if there is none} */
  public @Nullable Mark newest() {
    return marks.isEmpty() ? null : marks.getLast();
  }

  /** {@return whether the journal has any mark} */
  public boolean isEmpty() {
    return marks.isEmpty();
  }

  /** {@return the states that the file of the catalog may have, newest last} */
  public List<CatalogState> states() {
    return List.copyOf(states);
  }

  /** {@return the position of the newest state; 0 if there is none} */
  public long statePosition() {
    return statePosition;
  }

  /** {@return the position of the last record of the catalog; 0 if there is none} */
  public long lastPosition() {
    return lastPosition;
  }

  /**
   * Adds a state, also one that was appended since the journal was read.
   *
   * @param position the position of its record
   * @param state the state
   */
  public void add(long position, CatalogState state) {
    lastPosition = position;
    statePosition = position;
    states.add(state);
  }

  /**
   * Returns whether a file that was saved with a mark belongs to the journal.
   *
   * @param position the position of the mark; 0 if the file has none
   * @param token its token
   * @return whether the journal has everything after the file
   */
  public boolean belongs(long position, long token) {
    return isOwn(position, token) || findAmongOthers(position, token);
  }

  /**
   * Finds a mark by its token, which no other node has at this position, and the state that was
   * appended next: that is the one of the same save, if it got so far.
   */
  private boolean findAmongOthers(long position, long token) {
    boolean[] isFound = new boolean[1];
    boolean[] hasState = new boolean[1];
    others.accept(
        record -> {
          if (!Mark.isMark(record)) {
            return;
          }
          if (!CatalogState.isState(record)) {
            Mark mark = Mark.decode(record);
            isFound[0] |= mark.position() == position && mark.token() == token;
          } else if (isFound[0] && !hasState[0]) {
            hasState[0] = true;
            insert(record.position(), CatalogState.decode(record));
          }
        });
    return isFound[0];
  }

  /** The file may still have an earlier state, so its position is kept. */
  private void insert(long position, CatalogState state) {
    if (states.isEmpty() || position > lastPosition) {
      states.add(state);
    } else {
      states.addFirst(state);
    }
    lastPosition = Math.max(lastPosition, position);
    statePosition = statePosition == 0 ? position : statePosition;
  }

  private boolean isOwn(long position, long token) {
    if (position == 0) {
      return marks.stream().allMatch(each -> each.previous() == 0);
    }
    return marks.stream().anyMatch(each -> each.position() == position && each.token() == token);
  }
}
