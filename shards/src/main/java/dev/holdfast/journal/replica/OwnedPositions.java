package dev.holdfast.journal.replica;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.RecordKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The positions that one replica has appended as the owner of its shard. Immutable.
 *
 * @param spans in ascending order; only the last one may not have ended
 */
public record OwnedPositions(List<Span> spans) {

  public static final OwnedPositions NONE = new OwnedPositions(List.of());

  private static final long NO_END = Long.MAX_VALUE;

  /**
   * The positions of one ownership.
   *
   * @param first the first
   * @param last the last; the largest long while the ownership lasts
   */
  public record Span(long first, long last) {}

  public OwnedPositions {
    spans = List.copyOf(spans);
  }

  public boolean contains(long position) {
    return spans.stream().anyMatch(span -> span.first() <= position && position <= span.last());
  }

  /**
   * {@return whether a record is a checkpoint of the files of another node} Records of events, and
   * what is left of erased ones, have the same kind and matter to all nodes.
   */
  public boolean isForeign(RecordKind kind, int viewId, long position) {
    return kind == RecordKind.CHECKPOINT
        && viewId != Journal.EVENTS_VIEW_ID
        && viewId != RecordKind.VOID_VIEW
        && !contains(position);
  }

  /** {@return whether an ownership lasts, as far as the log was applied} */
  public boolean isOpen() {
    return !spans.isEmpty() && spans.getLast().last() == NO_END;
  }

  /** {@return the last position; 0 if there is none; the largest long while an ownership lasts} */
  public long last() {
    return spans.isEmpty() ? 0 : spans.getLast().last();
  }

  /** {@return these, and all from a position on} */
  public OwnedPositions begin(long position) {
    List<Span> more = new ArrayList<>(spans);
    more.add(new Span(position, NO_END));
    return new OwnedPositions(more);
  }

  /** {@return these, where an ownership that lasts ends with a position} */
  public OwnedPositions end(long position) {
    if (!isOpen()) {
      return this;
    }
    List<Span> ended = new ArrayList<>(spans);
    Span last = ended.removeLast();
    if (last.first() <= position) {
      ended.add(new Span(last.first(), position));
    }
    return new OwnedPositions(ended);
  }
}
