package dev.holdfast.backend.sqlite.wal;

import java.util.Arrays;

/**
 * A map from page numbers to frame numbers, without boxing: each open database has one, and each
 * commit uses it. Open addressing, at most half full. Confined to one thread at a time.
 */
public final class PageIndex {

  public static final int NONE = -1;

  private static final int INITIAL_SLOTS = 16;

  /** Page numbers start at 1, so 0 marks an empty slot. */
  private int[] pages = new int[INITIAL_SLOTS];

  private int[] frames = new int[INITIAL_SLOTS];
  private int size;

  /** {@return the frame of a page, or {@link #NONE}} */
  int frame(int page) {
    return frames[slot(pages, page)] - 1;
  }

  /** {@return the number of slots} */
  int slots() {
    return pages.length;
  }

  /** {@return the page in a slot; 0 if it is empty} */
  int page(int slot) {
    return pages[slot];
  }

  void put(int page, int frame) {
    assert frame >= 0;
    int slot = slot(pages, page);
    if (pages[slot] == 0) {
      if (2 * (size + 1) > pages.length) {
        grow();
        slot = slot(pages, page);
      }
      pages[slot] = page;
      size++;
      assert 2 * size <= pages.length;
    }
    // Stored plus one, so that an empty slot reads as NONE.
    frames[slot] = frame + 1;
  }

  void clear() {
    if (size == 0) {
      return;
    }
    size = 0;
    if (pages.length > 1_024) {
      pages = new int[INITIAL_SLOTS];
      frames = new int[INITIAL_SLOTS];
    } else {
      Arrays.fill(pages, 0);
      Arrays.fill(frames, 0);
    }
  }

  private void grow() {
    int[] oldPages = pages;
    int[] oldFrames = frames;
    pages = new int[2 * oldPages.length];
    frames = new int[2 * oldPages.length];
    for (int old = 0; old < oldPages.length; old++) {
      if (oldPages[old] != 0) {
        int slot = slot(pages, oldPages[old]);
        pages[slot] = oldPages[old];
        frames[slot] = oldFrames[old];
      }
    }
  }

  private static int slot(int[] pages, int page) {
    int mask = pages.length - 1;
    // Page numbers come in runs; the multiplication spreads them.
    int slot = (page * 0x9E3779B1) >>> Integer.numberOfLeadingZeros(mask);
    while (pages[slot] != 0 && pages[slot] != page) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
