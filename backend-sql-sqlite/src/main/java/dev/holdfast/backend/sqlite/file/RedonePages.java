package dev.holdfast.backend.sqlite.file;

import java.util.BitSet;

/**
 * What recovery has written to the file of an object: these pages come from the journal, all others
 * should be as they were saved. Confined to the thread that recovers, and read-only afterwards.
 */
public final class RedonePages {

  private final BitSet redone = new BitSet();

  /** Those that a batch has as a whole. */
  private final BitSet whole = new BitSet();

  private int pageBytes;
  private int pages;
  private int pagesMin = Integer.MAX_VALUE;
  private long position;

  /** Creates a record of a file to which nothing was written. */
  public RedonePages() {}

  /**
   * Records a batch without pages.
   *
   * @param last its position
   */
  public void reach(long last) {
    position = last;
  }

  /**
   * Records the sizes of a batch with pages.
   *
   * @param bytes the size of a page
   * @param pagesAfter how many pages there are after it
   */
  public void size(int bytes, int pagesAfter) {
    pageBytes = bytes;
    pages = pagesAfter;
    pagesMin = Math.min(pagesMin, pagesAfter);
    redone.clear(pagesAfter + 1, Math.max(pagesAfter + 1, redone.length()));
    whole.clear(pagesAfter + 1, Math.max(pagesAfter + 1, whole.length()));
  }

  /**
   * Records a page that was written.
   *
   * @param page its number; the first is 1
   * @param isWhole whether the batch has all of it, and not only what differs
   */
  public void redone(int page, boolean isWhole) {
    redone.set(page);
    if (isWhole) {
      whole.set(page);
    }
  }

  /**
   * {@return whether one of the batches has a page as a whole}
   *
   * @param page its number
   */
  public boolean isWhole(int page) {
    return whole.get(page);
  }

  long position() {
    return position;
  }

  boolean hasPages() {
    return pageBytes > 0;
  }

  int pageBytes() {
    return pageBytes;
  }

  int pages() {
    return pages;
  }

  /**
   * {@return whether a page should be as it was saved}
   *
   * @param page its number
   * @param savedPages how many pages were saved
   */
  public boolean isAsSaved(int page, int savedPages) {
    // A page that was truncated and added again without being written has no meaning.
    return page <= savedPages && page <= pagesMin && !redone.get(page);
  }
}
