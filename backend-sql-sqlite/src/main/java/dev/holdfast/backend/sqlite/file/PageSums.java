package dev.holdfast.backend.sqlite.file;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The checksums of all pages of a database file, as they follow what is written to it. Four bytes
 * of memory for a page. Thread-safe: who writes the file changes it, and who checks the file in the
 * background reads it.
 */
public final class PageSums {

  private final int pageBytes;
  private final int zeroSum;

  // Guarded by this.
  private int[] sums;
  private int pages;
  private long position;

  /** Chunks that nobody was told of since they changed. */
  private final BitSet changed = new BitSet();

  /** Whether the file was found to be what this says since it was opened. */
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

  /** {@return how long the file is} */
  public synchronized long fileBytes() {
    return (long) pages * pageBytes;
  }

  /** {@return the position of the last batch that is in the file} */
  public synchronized long position() {
    return position;
  }

  /**
   * Says which batches are in the file.
   *
   * @param last the position of the last one; one before the last known changes nothing
   */
  public synchronized void reach(long last) {
    position = Math.max(position, last);
  }

  /**
   * Cuts the file, or adds pages of zeros.
   *
   * @param newPages how many it has then
   */
  public synchronized void resize(int newPages) {
    if (newPages > sums.length) {
      sums = Arrays.copyOf(sums, Math.max(newPages, sums.length + sums.length / 2));
    }
    if (newPages > pages) {
      Arrays.fill(sums, pages, newPages, zeroSum);
    }
    if (newPages != pages) {
      // The last chunk has another length, and later ones come or go.
      int from = Math.max(0, Math.min(pages, newPages) - 1) / SumChunk.PAGES;
      changed.set(from, chunkCount(newPages));
      changed.clear(chunkCount(newPages), Math.max(chunkCount(newPages), changed.length()));
    }
    pages = newPages;
  }

  /**
   * Takes what was written to a page.
   *
   * @param page its number; the first is 1
   * @param sum its checksum
   */
  public synchronized void set(int page, int sum) {
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
    return sums[page - 1];
  }

  /**
   * Returns whether a page is what it should be.
   *
   * @param page its number; the first is 1
   * @param sum its checksum
   * @return false if it should be something else; true of one that was cut off
   */
  public synchronized boolean has(int page, int sum) {
    return page > pages || sums[page - 1] == sum;
  }

  /**
   * Takes the checksums of a chunk that were kept.
   *
   * @param chunk the chunk
   */
  public synchronized void load(SumChunk chunk) {
    ByteBuffer kept = ByteBuffer.wrap(chunk.sums());
    for (int page = chunk.index() * SumChunk.PAGES; kept.hasRemaining(); page++) {
      sums[page] = kept.getInt();
    }
  }

  /** Notes that everything is kept elsewhere as it is now. */
  public synchronized void allKept() {
    changed.clear();
  }

  /** Notes that nothing of it may be kept elsewhere. */
  public synchronized void nothingKept() {
    changed.set(0, chunkCount(pages));
  }

  /** {@return whether the file was found to be what this says} */
  public synchronized boolean isChecked() {
    return checked;
  }

  /** Notes that the file is what this says. */
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
   * Returns the state to be kept, with the chunks that changed since this was last called. If it is
   * not kept after all, {@link #nothingKept} is to be called.
   *
   * @param last the position of the last batch in the file, if this does not know of a later one
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
   * Returns the state to be kept, as {@link #save}, unless later batches are in the file.
   *
   * @param last the position of the last batch that is to be in the file
   * @return the state; null if the file has later ones
   */
  public synchronized @Nullable SavedState saveAt(long last) {
    return position > last ? null : save(last);
  }

  private byte[] chunk(int index) {
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
