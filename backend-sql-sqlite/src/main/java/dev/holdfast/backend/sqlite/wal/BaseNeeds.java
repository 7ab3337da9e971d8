package dev.holdfast.backend.sqlite.wal;

import java.util.BitSet;

/**
 * What the batches after the saved state of a file need of the file: its length, and each page that
 * none of them has whole. Confined to one thread.
 */
public final class BaseNeeds {

  private final int pageBytes;
  private final int pagesBefore;
  private final BitSet whole = new BitSet();
  private int pagesMin = Integer.MAX_VALUE;

  /**
   * Begins with the first batch after the saved state that has pages; it must be added, too.
   *
   * @param first the batch
   */
  public BaseNeeds(BatchReader first) {
    this.pageBytes = first.pageBytes();
    this.pagesBefore = first.pagesBefore();
  }

  /**
   * Adds a batch or a part of one, in their order.
   *
   * @param batch read to its end
   * @throws IllegalArgumentException if the batch is malformed
   */
  public void add(BatchReader batch) {
    if (!batch.hasPages()) {
      return;
    }
    while (batch.next()) {
      if (batch.hasRedo() && batch.redoIsWhole()) {
        whole.set(batch.page());
      }
    }
    int pages = batch.pagesAfter();
    pagesMin = Math.min(pagesMin, pages);
    whole.clear(pages + 1, Math.max(pages + 1, whole.length()));
  }

  /** {@return whether the batches determine a page} */
  public boolean isWhole(int page) {
    return whole.get(page);
  }

  /**
   * {@return whether a file of a length may be the one to which the batches apply, or does not
   * matter}
   *
   * <p>A crash leaves a file with a size that it has had since it was saved; the first batch of an
   * object finds at most the page that every new file has. A shorter file has lost pages. They do
   * not matter if the batches have all of them.
   *
   * @param fileBytes the length; 0 for no file
   */
  public boolean isMetBy(long fileBytes) {
    int pages = Math.min(pagesBefore, pagesMin);
    return pagesBefore <= 1
        || fileBytes >= (long) pages * pageBytes
        || whole.nextClearBit(1) > pages;
  }
}
