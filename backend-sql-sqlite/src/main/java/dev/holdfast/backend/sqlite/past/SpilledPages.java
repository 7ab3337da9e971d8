package dev.holdfast.backend.sqlite.past;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a database: some in memory, the others in a file that is deleted at the end. Confined to
 * one thread at a time.
 */
public final class SpilledPages implements AutoCloseable {

  private final Path path;
  private final int pageBytes;
  private final int heldMax;
  private final BitSet numbers = new BitSet();

  /** The pages in memory, least recently used first. */
  private final Map<Integer, byte[]> held = new LinkedHashMap<>(16, 0.75f, true);

  private @Nullable RandomAccessFile file;

  /**
   * Creates it without pages; creates no file yet.
   *
   * @param path the file for pages that do not fit into memory; does not exist yet
   * @param pageBytes the size of a page
   * @param heldBytesMax how many bytes of pages are held in memory; at least two pages are
   */
  public SpilledPages(Path path, int pageBytes, long heldBytesMax) {
    this.path = path;
    this.pageBytes = pageBytes;
    this.heldMax = (int) Math.max(2, heldBytesMax / pageBytes);
  }

  /**
   * {@return whether it has a page}
   *
   * @param number its number; the first is 1
   */
  public boolean has(int number) {
    return numbers.get(number);
  }

  /**
   * {@return the first page at or after a number that it has; -1 if there is none}
   *
   * @param number the number
   */
  public int next(int number) {
    return numbers.nextSetBit(number);
  }

  /**
   * Returns a page that it has. Changes to the page are kept until another page is requested.
   *
   * @param number its number
   * @return the page
   * @throws IOException if the file cannot be read or written
   */
  public byte[] get(int number) throws IOException {
    byte[] page = held.get(number);
    if (page == null) {
      RandomAccessFile spilled = file();
      page = new byte[pageBytes];
      spilled.seek(offset(number));
      spilled.readFully(page);
      hold(number, page);
    }
    return page;
  }

  /**
   * Adds a page that it does not have yet. Changes to the page are kept until another page is
   * requested.
   *
   * @param number its number
   * @param page the page; not copied
   * @throws IOException if the file cannot be written
   */
  public void put(int number, byte[] page) throws IOException {
    numbers.set(number);
    hold(number, page);
  }

  private void hold(int number, byte[] page) throws IOException {
    if (held.size() >= heldMax) {
      var eldest = held.entrySet().iterator();
      Map.Entry<Integer, byte[]> entry = eldest.next();
      RandomAccessFile spilled = file();
      spilled.seek(offset(entry.getKey()));
      spilled.write(entry.getValue());
      eldest.remove();
    }
    held.put(number, page);
  }

  private RandomAccessFile file() throws IOException {
    RandomAccessFile opened = file;
    if (opened == null) {
      opened = new RandomAccessFile(path.toFile(), "rw");
      file = opened;
    }
    return opened;
  }

  private long offset(int number) {
    return (number - 1L) * pageBytes;
  }

  /**
   * Deletes the file.
   *
   * @throws IOException if that fails
   */
  @Override
  public void close() throws IOException {
    RandomAccessFile opened = file;
    if (opened != null) {
      try {
        opened.close();
      } finally {
        Files.deleteIfExists(path);
      }
    }
  }
}
