package dev.holdfast.backend.sqlite.file;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;

/** Reads database files page by page, without SQLite. Stateless. */
public final class FilePages {

  /** The size of one read. */
  private static final int READ_BYTES = 256 << 10;

  private FilePages() {}

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
   * Reads a file to its end.
   *
   * @param disk where it is
   * @param file the file
   * @param pageBytes the size of its pages
   * @param visitor receives the checksums of its whole pages
   * @throws IOException if it cannot be read
   */
  public static void forEach(Disk disk, Path file, int pageBytes, Visitor visitor)
      throws IOException {
    try (DiskFile opened = disk.open(file, Mode.READ)) {
      forEach(opened, buffer(opened.size(), pageBytes), Long.MAX_VALUE, pageBytes, visitor);
    }
  }

  /** Reads the whole pages of a file that does not change; never reads after its end. */
  static void forEach(DiskFile opened, long fileBytes, int pageBytes, Visitor visitor)
      throws IOException {
    forEach(opened, buffer(fileBytes, pageBytes), fileBytes, pageBytes, visitor);
  }

  private static byte[] buffer(long fileBytes, int pageBytes) {
    return new byte[(int) Math.max(pageBytes, Math.min(READ_BYTES, fileBytes))];
  }

  private static void forEach(
      DiskFile opened, byte[] buffer, long endBytes, int pageBytes, Visitor visitor)
      throws IOException {
    int page = 0;
    int count = pageBytes;
    while (count >= pageBytes && (long) page * pageBytes < endBytes) {
      count = opened.read(buffer, 0, buffer.length, (long) page * pageBytes);
      for (int at = 0; at + pageBytes <= count; at += pageBytes) {
        visitor.visit(++page, PageSums.sum(buffer, at, pageBytes));
      }
    }
  }

  /**
   * Reads the checksum of one page.
   *
   * @param disk where the file is
   * @param file the file
   * @param pageBytes the size of its pages
   * @param page the number of the page; the first is 1
   * @return its checksum; bytes after the end count as zeros
   * @throws IOException if it cannot be read
   */
  public static int sum(Disk disk, Path file, int pageBytes, int page) throws IOException {
    try (DiskFile opened = disk.open(file, Mode.READ)) {
      return sum(opened, pageBytes, page);
    }
  }

  /** {@return the checksum of a page of an open file} */
  static int sum(DiskFile opened, int pageBytes, int page) throws IOException {
    byte[] bytes = new byte[pageBytes];
    opened.read(bytes, 0, pageBytes, (page - 1L) * pageBytes);
    return PageSums.sum(bytes, 0, pageBytes);
  }

  /**
   * Reads the checksums of a file as it is.
   *
   * @param disk where it is
   * @param file the file
   * @return the checksums of its pages, none of them kept elsewhere
   * @throws FileRefusedException if it is not a database
   * @throws IOException if it cannot be read
   */
  public static PageSums read(Disk disk, Path file) throws IOException {
    int pageBytes = pageBytes(disk, file);
    long fileBytes = file.toFile().length();
    if (fileBytes < pageBytes || fileBytes % pageBytes != 0) {
      throw new FileRefusedException("has " + fileBytes + " bytes, which are no whole pages");
    }
    PageSums sums = new PageSums(pageBytes, (int) (fileBytes / pageBytes));
    forEach(disk, file, pageBytes, sums::set);
    sums.nothingKept();
    sums.setChecked();
    return sums;
  }

  /**
   * Returns the page size of a file, from its header.
   *
   * @param disk where it is
   * @param file the file
   * @return the size
   * @throws FileRefusedException if it is not a database
   * @throws IOException if it cannot be read
   */
  public static int pageBytes(Disk disk, Path file) throws IOException {
    byte[] start = new byte[PageSize.HEADER_BYTES];
    try (DiskFile opened = disk.open(file, Mode.READ)) {
      if (opened.read(start, 0, start.length, 0) < start.length) {
        throw new FileRefusedException("is too short for a database");
      }
    }
    int bytes = PageSize.of(start);
    if (!PageSize.isValid(bytes)) {
      throw new FileRefusedException("is no database");
    }
    return bytes;
  }
}
