package dev.holdfast.benchmarks.objects;

/** A link of a chain of objects, each of which writes and then calls the next. */
public interface Link {

  /**
   * Adds to the link and to all after it.
   *
   * @param delta the amount
   * @param linksAfter the number of links to call after this one
   * @return the sum of the links' totals
   */
  long add(long delta, int linksAfter);
}
