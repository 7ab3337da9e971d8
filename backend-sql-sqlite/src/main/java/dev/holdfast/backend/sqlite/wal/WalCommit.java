package dev.holdfast.backend.sqlite.wal;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The frames that one commit has written to the {@code -wal} file. Reused; confined to one thread
 * at a time.
 */
public final class WalCommit {

  private final PageIndex newestFrames = new PageIndex();
  private int[] pages = new int[16];

  private int firstFrame;
  private int frameCount;

  /** Whether the commit restarted the file, with new salts. */
  boolean restarted;

  long salts;
  public int pageBytes;

  /** Size of the database after the commit. */
  public int pagesAfter;

  // The frames that were read last, so that a small commit is read once.
  public byte[] chunk = new byte[0];
  ByteBuffer chunkView = ByteBuffer.wrap(chunk);
  int chunkFirstFrame;
  int chunkFrameCount;

  void ensureChunk(int bytes) {
    if (chunk.length < bytes) {
      chunk = new byte[bytes];
      chunkView = ByteBuffer.wrap(chunk);
    }
  }

  void begin(int firstFrame) {
    assert firstFrame >= 0;
    this.firstFrame = firstFrame;
    frameCount = 0;
    pagesAfter = 0;
    newestFrames.clear();
  }

  void add(int page) {
    if (frameCount == pages.length) {
      pages = Arrays.copyOf(pages, 2 * frameCount);
    }
    pages[frameCount] = page;
    newestFrames.put(page, firstFrame + frameCount);
    frameCount++;
  }

  /** Forgets all frames after the given number. */
  void cutTo(int frames, int pages) {
    assert frames >= 0 && frames <= frameCount;
    frameCount = frames;
    pagesAfter = pages;
    newestFrames.clear();
    for (int index = 0; index < frames; index++) {
      newestFrames.put(this.pages[index], firstFrame + index);
    }
  }

  public int firstFrame() {
    return firstFrame;
  }

  public int frameCount() {
    return frameCount;
  }

  /** {@return the number of the frame after the last one} */
  public int endFrame() {
    return firstFrame + frameCount;
  }

  /** {@return the page of a frame, counted from the first frame of the commit} */
  public int page(int index) {
    assert index >= 0 && index < frameCount;
    return pages[index];
  }

  /**
   * {@return whether a frame counts: a page may be in a commit twice if the cache spilled, and it
   * may have been truncated again}
   */
  public boolean counts(int index) {
    int page = pages[index];
    return page <= pagesAfter && newestFrames.frame(page) == firstFrame + index;
  }
}
