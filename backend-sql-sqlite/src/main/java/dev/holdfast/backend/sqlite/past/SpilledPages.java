package dev.holdfast.backend.sqlite.past;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.spi.disk.Disk.Mode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a database: some in memory, the others in a file that is deleted at the end. Confined to
 * one thread at a time.
 */
final class SpilledPages implements AutoCloseable {

  private final ObjectFiles files;
  private final Path path;
  private final int pageBytes;
  private final int heldMax;
  private final BitSet numbers = new BitSet();

  /** The pages in memory, least recently used first. */
  private final Map<Integer, byte[]> held = new LinkedHashMap<>(16, 0.75f, true);

  private @Nullable PageFile file;

  /**
   * Creates it without pages; creates no file yet.
   *
   * @param files opens the file
   * @param path the file for pages that do not fit into memory; does not exist yet
   * @param pageBytes the size of a page
   * @param heldBytesMax how many bytes of pages are held in memory; at least two pages are
   */
  SpilledPages(ObjectFiles files, Path path, int pageBytes, long heldBytesMax) {
    this.files = files;
    this.path = path;
    this.pageBytes = pageBytes;
    this.heldMax = (int) Math.max(2, heldBytesMax / pageBytes);
  }

  /** {@return whether it has a page} */
  boolean has(int number) {
    return numbers.get(number);
  }

  /** {@return the first page at or after a number that it has; -1 if there is none} */
  int next(int number) {
    return numbers.nextSetBit(number);
  }

  /** {@return a page that it has; changes to it are kept until another page is requested} */
  byte[] get(int number) throws IOException {
    byte[] page = held.get(number);
    if (page == null) {
      page = new byte[pageBytes];
      if (file().read(number, page) < pageBytes) {
        throw new EOFException(path + " ends before page " + number);
      }
      hold(number, page);
    }
    return page;
  }

  /** Adds a page that it does not have yet. Changes to it are kept until another is requested. */
  void put(int number, byte[] page) throws IOException {
    numbers.set(number);
    hold(number, page);
  }

  private void hold(int number, byte[] page) throws IOException {
    if (held.size() >= heldMax) {
      var eldest = held.entrySet().iterator();
      Map.Entry<Integer, byte[]> entry = eldest.next();
      file().write(entry.getKey(), entry.getValue());
      eldest.remove();
    }
    held.put(number, page);
  }

  private PageFile file() throws IOException {
    PageFile opened = file;
    if (opened == null) {
      opened = files.open(path, Mode.CREATE, pageBytes);
      file = opened;
    }
    return opened;
  }

  /** Deletes the file. */
  @Override
  public void close() throws IOException {
    PageFile opened = file;
    if (opened != null) {
      try {
        opened.close();
      } finally {
        files.deleteImage(path);
      }
    }
  }
}
