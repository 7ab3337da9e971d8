package dev.holdfast.backend.sqlite.file;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file of pages, read and written without SQLite: a database file, or a file for pages that do
 * not fit into memory. The first page has number 1. Used by one thread at a time.
 */
public final class PageFile implements AutoCloseable {

  /** The size of one read of many pages. */
  private static final int READ_BYTES = 256 << 10;

  private final DiskFile file;
  private final int pageBytes;

  private PageFile(DiskFile file, int pageBytes) {
    this.file = file;
    this.pageBytes = pageBytes;
  }

  /**
   * Opens a file.
   *
   * @param disk where it is
   * @param path its path
   * @param mode how to open it
   * @param pageBytes the size of its pages
   * @return the open file
   * @throws IOException if it cannot be opened
   */
  public static PageFile open(Disk disk, Path path, Mode mode, int pageBytes) throws IOException {
    return new PageFile(disk.open(path, mode), pageBytes);
  }

  /** Receives the checksums of pages, in order. */
  @FunctionalInterface
  public interface Visitor {

    /**
     * Receives one checksum.
     *
     * @param page the number of the page; the first is 1
     * @param sum its checksum
     * @throws FileRefusedException if it is wrong
     */
    void visit(int page, int sum) throws FileRefusedException;
  }

  /**
   * {@return the length of the file}
   *
   * @throws IOException if it cannot be determined
   */
  public long sizeBytes() throws IOException {
    return file.size();
  }

  /**
   * Reads a page. Bytes after the end of the file are zeros, as SQLite reads them: a page that was
   * added and freed in one transaction is never written.
   *
   * @param page its number
   * @param target gets it, at the beginning
   * @return how many of its bytes the file has
   * @throws IOException if it cannot be read
   */
  public int read(int page, byte[] target) throws IOException {
    int count = file.read(target, 0, pageBytes, offset(page));
    Arrays.fill(target, count, pageBytes, (byte) 0);
    return count;
  }

  /**
   * Reads the beginning of the file.
   *
   * @param target gets it
   * @return how many bytes the file has of it
   * @throws IOException if it cannot be read
   */
  public int readStart(byte[] target) throws IOException {
    return file.read(target, 0, target.length, 0);
  }

  /**
   * {@return the checksum of a page}
   *
   * @param page its number
   * @throws IOException if it cannot be read
   */
  public int sum(int page) throws IOException {
    byte[] bytes = new byte[pageBytes];
    read(page, bytes);
    return PageSums.sum(bytes, 0, pageBytes);
  }

  /**
   * Reads consecutive whole pages, and nothing after them.
   *
   * @param first the number of the first page
   * @param last the number of the last page
   * @param visitor receives their checksums
   * @return the number of the last page that was read; less than {@code last} if the file ends
   *     before it
   * @throws IOException if the file cannot be read
   */
  public int forEach(int first, int last, Visitor visitor) throws IOException {
    long bytes = (last - first + 1L) * pageBytes;
    byte[] buffer = new byte[(int) Math.min(bytes, Math.max(pageBytes, READ_BYTES))];
    int next = first;
    while (next <= last) {
      int wanted = (int) Math.min(buffer.length, (last - next + 1L) * pageBytes);
      int count = file.read(buffer, 0, wanted, offset(next));
      for (int at = 0; at + pageBytes <= count; at += pageBytes) {
        visitor.visit(next++, PageSums.sum(buffer, at, pageBytes));
      }
      if (count < wanted) {
        break;
      }
    }
    return next - 1;
  }

  /**
   * Reads the first pages at once.
   *
   * @param pages how many; the file has at least as many
   * @return their bytes
   * @throws IOException if they cannot be read
   */
  byte[] image(int pages) throws IOException {
    byte[] image = new byte[Math.multiplyExact(pages, pageBytes)];
    int count = file.read(image, 0, image.length, 0);
    if (count < image.length) {
      throw new FileRefusedException("was truncated to " + count + " bytes while it was read");
    }
    return image;
  }

  /** {@return the checksums of the first pages of the file} */
  PageSums sums(int pages) throws IOException {
    PageSums sums = new PageSums(pageBytes, pages);
    forEach(1, pages, sums::set);
    return sums;
  }

  /**
   * Writes a page.
   *
   * @param page its number
   * @param source has it, at the beginning
   * @throws IOException if it cannot be written
   */
  public void write(int page, byte[] source) throws IOException {
    file.write(source, 0, pageBytes, offset(page));
  }

  /**
   * Writes consecutive pages.
   *
   * @param first the number of the first page
   * @param source has them
   * @param offset where they begin there
   * @param bytes how long they are
   * @throws IOException if they cannot be written
   */
  public void write(int first, byte[] source, int offset, int bytes) throws IOException {
    file.write(source, offset, bytes, offset(first));
  }

  /**
   * Truncates or extends the file: a page that was added and freed at once is in no batch, but
   * counts in the size.
   *
   * @param pages how many pages it has then; at least 1
   * @throws IOException if that fails
   */
  public void resize(int pages) throws IOException {
    long bytes = (long) pages * pageBytes;
    long sizeBytes = file.size();
    if (sizeBytes > bytes) {
      file.truncate(bytes);
    } else if (sizeBytes < bytes) {
      file.write(new byte[1], 0, 1, bytes - 1);
    }
  }

  private long offset(int page) {
    return (page - 1L) * pageBytes;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  // ---- Files that are not open -------------------------------------------------------------

  /**
   * Reads all whole pages that a file has when it is opened.
   *
   * @param disk where it is
   * @param path the file
   * @param pageBytes the size of its pages
   * @param visitor receives their checksums
   * @throws IOException if it cannot be read
   */
  static void forEach(Disk disk, Path path, int pageBytes, Visitor visitor) throws IOException {
    try (PageFile file = open(disk, path, Mode.READ, pageBytes)) {
      long pages = (file.sizeBytes() + pageBytes - 1) / pageBytes;
      file.forEach(1, Math.toIntExact(pages), visitor);
    }
  }

  /** {@return the checksum of one page of a file} */
  static int sum(Disk disk, Path path, int pageBytes, int page) throws IOException {
    try (PageFile file = open(disk, path, Mode.READ, pageBytes)) {
      return file.sum(page);
    }
  }

  /**
   * Reads the checksums of a file as it is.
   *
   * @param disk where it is
   * @param path the file
   * @return the checksums of its pages, none of them kept elsewhere
   * @throws FileRefusedException if it is not a database
   * @throws IOException if it cannot be read
   */
  public static PageSums sums(Disk disk, Path path) throws IOException {
    int pageBytes = pageBytes(disk, path);
    long fileBytes = path.toFile().length();
    if (fileBytes < pageBytes || fileBytes % pageBytes != 0) {
      throw new FileRefusedException(
          "has " + fileBytes + " bytes, which is not a whole number of pages");
    }
    try (PageFile file = open(disk, path, Mode.READ, pageBytes)) {
      PageSums sums = file.sums((int) (fileBytes / pageBytes));
      sums.nothingKept();
      sums.setChecked();
      return sums;
    }
  }

  /**
   * Returns the page size of a file, from its header.
   *
   * @param disk where it is
   * @param path the file
   * @return the size
   * @throws FileRefusedException if it is not a database
   * @throws IOException if it cannot be read
   */
  public static int pageBytes(Disk disk, Path path) throws IOException {
    byte[] start = new byte[PageSize.HEADER_BYTES];
    try (DiskFile opened = disk.open(path, Mode.READ)) {
      if (opened.read(start, 0, start.length, 0) < start.length) {
        throw new FileRefusedException("is too short for a database");
      }
    }
    int bytes = PageSize.of(start);
    if (!PageSize.isValid(bytes)) {
      throw new FileRefusedException("is not a database");
    }
    return bytes;
  }
}
