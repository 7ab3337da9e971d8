package dev.holdfast.backend.sqlite.file;

/** The checksums of consecutive pages: the sums of 1 MiB of a file. Immutable. */
public final class SumChunk {

  /** How many pages a chunk covers; the last chunk of a file covers the remaining pages. */
  public static final int PAGES = 256;

  private final int index;
  private final byte[] sums;

  /**
   * Creates a chunk.
   *
   * @param index which run of pages; the first is 0
   * @param sums four bytes for each page, big-endian; must not change any more
   */
  public SumChunk(int index, byte[] sums) {
    this.index = index;
    this.sums = sums;
  }

  /** {@return which run of pages; the first is 0} */
  public int index() {
    return index;
  }

  /** {@return four bytes for each page, big-endian; must not be changed} */
  public byte[] sums() {
    return sums;
  }

  /**
   * Returns the length of the checksums of a chunk.
   *
   * @param index which chunk
   * @param pages how many pages the file has
   * @return the bytes; 0 or less if the file has no such chunk
   */
  public static int bytes(int index, int pages) {
    return (int) Math.min(PAGES, pages - (long) index * PAGES) * Integer.BYTES;
  }
}
