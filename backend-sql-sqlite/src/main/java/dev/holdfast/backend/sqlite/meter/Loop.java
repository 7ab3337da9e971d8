package dev.holdfast.backend.sqlite.meter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A loop of a program.
 *
 * @param kind what it iterates over
 * @param header where it is entered: the instruction that finds its first row
 * @param end the instruction that moves to the next row
 * @param cursor the cursor it moves; -1 if unknown
 * @param root the root page of the table or index; 0 if it iterates over something else
 * @param isEquality whether it iterates over the entries of an index that have one key
 * @param mayEndEarly whether something in it leaves it before its last row
 * @param isFiltered whether something in it skips a row, other than OFFSET
 * @param hasEnd whether a row beyond its range ends it; otherwise it ends with the index
 */
record Loop(
    Kind kind,
    int header,
    int end,
    int cursor,
    int root,
    boolean isEquality,
    boolean mayEndEarly,
    boolean isFiltered,
    boolean hasEnd) {

  /** What a loop iterates over. */
  enum Kind {
    /** All rows of a table or index. */
    FULL,
    /** The rows of a table or index between two keys. */
    RANGE,
    /** Only the first row: the smallest or largest of an index. */
    FIRST,
    /** What this statement put into a sorter or a separate table. */
    OWN,
    /** The rows of a recursive query that are still to be processed. */
    QUEUE,
    /** A virtual table. */
    VIRTUAL,
    /** Rows that a subprogram returns one by one. */
    OTHER
  }

  boolean contains(int address) {
    return address >= header && address <= end;
  }

  private boolean isWithin(Loop other) {
    return other.contains(header) && other.contains(end) && other.end - other.header > end - header;
  }

  /** {@return the smallest of some loops that contains this one, or null} */
  @Nullable Loop parent(List<Loop> loops) {
    Loop smallest = null;
    for (Loop each : loops) {
      if (isWithin(each) && (smallest == null || each.isWithin(smallest))) {
        smallest = each;
      }
    }
    return smallest;
  }

  /** {@return the smallest of some loops around an address, or null} */
  static @Nullable Loop around(List<Loop> loops, int address) {
    Loop smallest = null;
    for (Loop each : loops) {
      if (each.contains(address) && (smallest == null || each.isWithin(smallest))) {
        smallest = each;
      }
    }
    return smallest;
  }
}
