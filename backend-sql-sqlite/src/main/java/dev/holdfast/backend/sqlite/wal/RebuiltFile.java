package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.RedonePages;
import dev.holdfast.spi.disk.Disk.Mode;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The database file of one object while recovery applies batches to it: pages are changed in memory
 * and written together. Confined to the thread that recovers.
 */
public final class RebuiltFile {

  /** Pages are written when rebuilt files hold more than this in memory. */
  public static final long HELD_BYTES_MAX =
      Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);

  /** A file up to this length is read at once: to open it takes longer than to read it. */
  private static final int READ_AT_ONCE_BYTES = 64 << 10;

  /** Changed pages that follow each other are written at once, up to this many bytes. */
  private static final int WRITTEN_AT_ONCE_BYTES = 64 << 10;

  private final ObjectFiles files;
  private final Path file;

  /** Pages that were changed, or only read. */
  private final Map<Integer, byte[]> pages = new HashMap<>();

  /** Those that were changed. */
  private final BitSet changed = new BitSet();

  // 0 until the first batch with pages.
  private int pageBytes;
  private int pageCount;

  private final RedonePages redone;

  /** Whether the pages have changed since {@link #forEachNotWhole}. */
  private boolean isChanged;

  /** Receives a page. */
  @FunctionalInterface
  public interface PageVisitor {

    /**
     * Receives a page.
     *
     * @param page its number
     * @param content what it is; not changed
     */
    void visit(int page, byte[] content) throws IOException;
  }

  public RebuiltFile(ObjectFiles files, Path file, RedonePages redone) {
    this.files = files;
    this.file = file;
    this.redone = redone;
  }

  /** {@return how many bytes of pages are held in memory} */
  public long heldBytes() {
    return (long) pages.size() * pageBytes;
  }

  /** Forgets the pages that were only read. */
  public void forgetUnchanged() {
    if (pages.size() > changed.cardinality()) {
      pages.keySet().removeIf(page -> !changed.get(page));
    }
  }

  /**
   * Applies the redo of a batch.
   *
   * @throws IllegalArgumentException if the batch is malformed
   */
  public void redo(BatchReader batch) throws IOException {
    if (!batch.hasPages()) {
      return;
    }
    pageBytes = batch.pageBytes();
    pageCount = batch.pagesAfter();
    redone.size(pageBytes, pageCount);
    isChanged = true;
    while (batch.next()) {
      if (batch.hasRedo()) {
        redone.redone(batch.page(), batch.redoIsWhole());
        byte[] page = page(batch.page(), batch.redoIsWhole());
        changed.set(batch.page());
        batch.redo(page);
      }
    }
  }

  /** {@return whether pages were changed that {@link #forEachNotWhole} has not passed on} */
  public boolean isChanged() {
    return isChanged;
  }

  /**
   * Passes on the pages that are to be written and that no batch which was applied has as a whole:
   * if a power cut tore them, the batches could not repair them.
   */
  public void forEachNotWhole(PageVisitor visitor) throws IOException {
    for (int page = nextChanged(1); page > 0; page = nextChanged(page + 1)) {
      if (!redone.isWhole(page)) {
        visitor.visit(page, held(page));
      }
    }
    isChanged = false;
  }

  /** {@return the next changed page of the file; -1 if there is none} */
  private int nextChanged(int from) {
    int page = changed.nextSetBit(from);
    return page <= pageCount ? page : -1;
  }

  private byte[] held(int page) {
    return Objects.requireNonNull(pages.get(page));
  }

  /** Writes all changed pages, truncates or extends the file, and removes the log. */
  public void write() throws IOException {
    try (PageFile opened = files.openToRebuild(file, pageBytes)) {
      int next = nextChanged(1);
      while (next > 0) {
        next = nextChanged(writeFrom(opened, next));
      }
      if (pageBytes > 0) {
        opened.resize(pageCount);
      }
    }
    files.removeWal(file);
    pages.clear();
    changed.clear();
  }

  /** {@return the page after those that were written, which follow each other} */
  private int writeFrom(PageFile opened, int first) throws IOException {
    int most = Math.max(1, WRITTEN_AT_ONCE_BYTES / pageBytes);
    int end = Math.min(Math.min(changed.nextClearBit(first), pageCount + 1), first + most);
    byte[] run = held(first);
    if (end > first + 1) {
      run = Arrays.copyOf(run, (end - first) * pageBytes);
      for (int page = first + 1; page < end; page++) {
        System.arraycopy(held(page), 0, run, (page - first) * pageBytes, pageBytes);
      }
    }
    opened.write(first, run, 0, run.length);
    return end;
  }

  private byte[] page(int number, boolean isRewritten) throws IOException {
    byte[] held = pages.get(number);
    if (held == null && !isRewritten) {
      read(number);
      held = pages.get(number);
    }
    if (held == null) {
      held = new byte[pageBytes];
      pages.put(number, held);
    }
    return held;
  }

  /** Reads a page, and with it all others of a small file; the file need not have it. */
  private void read(int number) throws IOException {
    try (PageFile opened = files.open(file, Mode.READ, pageBytes)) {
      long fileBytes = opened.sizeBytes();
      if (fileBytes > READ_AT_ONCE_BYTES) {
        byte[] page = new byte[pageBytes];
        opened.read(number, page);
        pages.put(number, page);
        return;
      }
      byte[] all = new byte[Math.toIntExact(fileBytes)];
      int count = opened.readStart(all);
      for (int from = 0; from < count; from += pageBytes) {
        byte[] page = new byte[pageBytes];
        System.arraycopy(all, from, page, 0, Math.min(pageBytes, count - from));
        pages.putIfAbsent(from / pageBytes + 1, page);
      }
    } catch (NoSuchFileException e) {
      // Then it is made, and its pages begin as zeros.
    }
  }
}
