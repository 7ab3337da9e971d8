package dev.holdfast.backend.sqlite.file;

import java.util.BitSet;

/**
 * What recovery has written to the file of an object: these pages come from the journal, all others
 * should be as they were saved. Owned by the thread that recovers, and read-only afterwards.
 */
public final class RedonePages {

  private final BitSet redone = new BitSet();
  private int pageBytes;
  private int pages;
  private int pagesMin = Integer.MAX_VALUE;
  private long position;

  /** Creates what says that nothing was written. */
  public RedonePages() {}

  /**
   * Notes a batch without pages.
   *
   * @param last its position
   */
  public void reach(long last) {
    position = last;
  }

  /**
   * Notes the sizes of a batch with pages.
   *
   * @param bytes the size of a page
   * @param pagesAfter how many pages there are after it
   */
  public void size(int bytes, int pagesAfter) {
    pageBytes = bytes;
    pages = pagesAfter;
    pagesMin = Math.min(pagesMin, pagesAfter);
    redone.clear(pagesAfter + 1, Math.max(pagesAfter + 1, redone.length()));
  }

  /**
   * Notes a page that was written.
   *
   * @param page its number; the first is 1
   */
  public void redone(int page) {
    redone.set(page);
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
  boolean isAsSaved(int page, int savedPages) {
    // One that was cut off and added again without being written means nothing.
    return page <= savedPages && page <= pagesMin && !redone.get(page);
  }
}
