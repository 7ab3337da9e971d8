package dev.holdfast.journal.shard;

import java.util.ArrayList;
import java.util.List;

/**
 * The positions that one replica has appended as the owner of its shard. Immutable.
 *
 * @param spans in ascending order; only the last one may not have ended
 */
record OwnedPositions(List<Span> spans) {

  static final OwnedPositions NONE = new OwnedPositions(List.of());

  private static final long NO_END = Long.MAX_VALUE;

  /**
   * The positions of one ownership.
   *
   * @param first the first
   * @param last the last; the largest long while the ownership lasts
   */
  record Span(long first, long last) {}

  OwnedPositions {
    spans = List.copyOf(spans);
  }

  boolean contains(long position) {
    return spans.stream().anyMatch(span -> span.first() <= position && position <= span.last());
  }

  /** {@return whether an ownership lasts, as far as the log was applied} */
  boolean isOpen() {
    return !spans.isEmpty() && spans.getLast().last() == NO_END;
  }

  /** {@return the last position; 0 if there is none; the largest long while an ownership lasts} */
  long last() {
    return spans.isEmpty() ? 0 : spans.getLast().last();
  }

  /** {@return these, and all from a position on} */
  OwnedPositions begin(long position) {
    List<Span> more = new ArrayList<>(spans);
    more.add(new Span(position, NO_END));
    return new OwnedPositions(more);
  }

  /** {@return these, where an ownership that lasts ends with a position} */
  OwnedPositions end(long position) {
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
