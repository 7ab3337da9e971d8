package dev.holdfast.backend.sqlite.file;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The checksums of all pages of a database file, updated with each write to it. They take four
 * bytes of memory per page. Thread-safe: the writer of the file changes them, and the background
 * check of the file reads them.
 */
public final class PageSums {

  private final int pageBytes;
  private final int zeroSum;

  // Guarded by this.
  private int[] sums;
  private int pages;
  private long position;

  /** Chunks that changed and were not handed out since. */
  private final BitSet changed = new BitSet();

  /** Whether the file was found to match since it was opened. */
  private boolean checked;

  /**
   * Creates the checksums of pages of zeros.
   *
   * @param pageBytes the size of a page
   * @param pages how many there are
   */
  public PageSums(int pageBytes, int pages) {
    this.pageBytes = pageBytes;
    this.zeroSum = sum(new byte[pageBytes], 0, pageBytes);
    this.sums = new int[pages];
    resize(pages);
  }

  /**
   * Returns the checksum of a page: its CRC-32C.
   *
   * @param bytes has the page
   * @param offset where it begins
   * @param pageBytes its length
   * @return the checksum
   */
  public static int sum(byte[] bytes, int offset, int pageBytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, pageBytes);
    return (int) crc.getValue();
  }

  /** {@return the size of a page} */
  public int pageBytes() {
    return pageBytes;
  }

  /** {@return how many pages there are} */
  public synchronized int pages() {
    return pages;
  }

  /** {@return the length of the file} */
  public synchronized long fileBytes() {
    return (long) pages * pageBytes;
  }

  /** {@return the position of the last batch that is in the file} */
  public synchronized long position() {
    return position;
  }

  /**
   * Records which batches are in the file.
   *
   * @param last the position of the last one; a position before the last known changes nothing
   */
  public synchronized void reach(long last) {
    position = Math.max(position, last);
  }

  /**
   * Truncates the file, or adds pages of zeros.
   *
   * @param newPages how many it has then
   */
  public synchronized void resize(int newPages) {
    assert newPages >= 0;
    if (newPages > sums.length) {
      sums = Arrays.copyOf(sums, Math.max(newPages, sums.length + sums.length / 2));
    }
    if (newPages > pages) {
      Arrays.fill(sums, pages, newPages, zeroSum);
    }
    if (newPages != pages) {
      // The length of the last chunk changes, and later chunks are added or removed.
      int from = Math.max(0, Math.min(pages, newPages) - 1) / SumChunk.PAGES;
      changed.set(from, chunkCount(newPages));
      changed.clear(chunkCount(newPages), Math.max(chunkCount(newPages), changed.length()));
    }
    pages = newPages;
  }

  /**
   * Records what was written to a page.
   *
   * @param page its number; the first is 1
   * @param sum its checksum
   */
  public synchronized void set(int page, int sum) {
    assert page >= 1 && page <= pages;
    if (sums[page - 1] != sum) {
      sums[page - 1] = sum;
      changed.set((page - 1) / SumChunk.PAGES);
    }
  }

  /**
   * Returns the checksum of a page.
   *
   * @param page its number; the first is 1, the last {@link #pages}
   * @return its checksum
   */
  public synchronized int sum(int page) {
    assert page >= 1 && page <= pages;
    return sums[page - 1];
  }

  /**
   * Returns whether a page has the expected content.
   *
   * @param page its number; the first is 1
   * @param sum its checksum
   * @return false if it should be something else; true for a page that was truncated
   */
  public synchronized boolean has(int page, int sum) {
    return page > pages || sums[page - 1] == sum;
  }

  /**
   * Loads the kept checksums of a chunk.
   *
   * @param chunk the chunk
   */
  public synchronized void load(SumChunk chunk) {
    ByteBuffer kept = ByteBuffer.wrap(chunk.sums());
    for (int page = chunk.index() * SumChunk.PAGES; kept.hasRemaining(); page++) {
      sums[page] = kept.getInt();
    }
  }

  /** Records that everything is kept elsewhere as it is now. */
  public synchronized void allKept() {
    changed.clear();
  }

  /** Records that nothing of it may be kept elsewhere. */
  public synchronized void nothingKept() {
    changed.set(0, chunkCount(pages));
  }

  /** {@return whether the file was found to match} */
  public synchronized boolean isChecked() {
    return checked;
  }

  /** Records that the file matches. */
  public synchronized void setChecked() {
    checked = true;
  }

  /** {@return the checksum of the whole file: the CRC-32C of the checksums of its pages} */
  public synchronized int checksum() {
    CRC32C crc = new CRC32C();
    for (int chunk = 0; chunk < chunkCount(pages); chunk++) {
      crc.update(chunk(chunk));
    }
    return (int) crc.getValue();
  }

  /**
   * Returns the state to keep, with the chunks that changed since the last call. If it is not kept
   * after all, call {@link #nothingKept}.
   *
   * @param last the position of the last batch in the file, unless a later one is recorded here
   * @return the state
   */
  public synchronized SavedState save(long last) {
    reach(last);
    List<SumChunk> chunks = new ArrayList<>();
    for (int chunk = changed.nextSetBit(0); chunk >= 0; chunk = changed.nextSetBit(chunk + 1)) {
      chunks.add(new SumChunk(chunk, chunk(chunk)));
    }
    changed.clear();
    return new SavedState(position, pageBytes, pages, checksum(), chunks);
  }

  /**
   * Returns the state to keep, as {@link #save}, unless later batches are in the file.
   *
   * @param end no batch after this position may be in the file
   * @param last the position of the last batch in the file, unless a later one is recorded here
   * @return the state; null if the file has later ones
   */
  public synchronized @Nullable SavedState saveAt(long end, long last) {
    return position > end ? null : save(last);
  }

  private byte[] chunk(int index) {
    assert Thread.holdsLock(this) && index < chunkCount(pages);
    ByteBuffer bytes = ByteBuffer.allocate(SumChunk.bytes(index, pages));
    for (int page = index * SumChunk.PAGES; bytes.hasRemaining(); page++) {
      bytes.putInt(sums[page]);
    }
    return bytes.array();
  }

  private static int chunkCount(int pages) {
    return (pages + SumChunk.PAGES - 1) / SumChunk.PAGES;
  }
}
