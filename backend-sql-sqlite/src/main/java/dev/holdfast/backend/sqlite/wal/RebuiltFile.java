package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.RedonePages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The database file of one object while recovery applies batches to it: pages are changed in memory
 * and written together. Confined to the thread that recovers.
 */
public final class RebuiltFile {

  /** Pages are written when rebuilt files hold more than this in memory. */
  public static final long HELD_BYTES_MAX =
      Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);

  private final ObjectFiles files;
  private final Path file;

  /** Changed pages, in the order of their position in the file. */
  private final Map<Integer, byte[]> pages = new TreeMap<>();

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
        batch.redo(page(batch.page(), batch.redoIsWhole()));
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
    for (Map.Entry<Integer, byte[]> page : pages.entrySet()) {
      if (page.getKey() <= pageCount && !redone.isWhole(page.getKey())) {
        visitor.visit(page.getKey(), page.getValue());
      }
    }
    isChanged = false;
  }

  /** Writes all changed pages, truncates or extends the file, and removes the log. */
  public void write() throws IOException {
    try (PageFile opened = files.openToRebuild(file, pageBytes)) {
      for (Map.Entry<Integer, byte[]> page : pages.entrySet()) {
        if (page.getKey() <= pageCount) {
          opened.write(page.getKey(), page.getValue());
        }
      }
      if (pageBytes > 0) {
        opened.resize(pageCount);
      }
    }
    files.removeWal(file);
    pages.clear();
  }

  private byte[] page(int number, boolean isRewritten) throws IOException {
    byte[] held = pages.get(number);
    if (held == null) {
      held = new byte[pageBytes];
      if (!isRewritten) {
        try (PageFile opened = files.openToRebuild(file, pageBytes)) {
          opened.read(number, held);
        }
      }
      pages.put(number, held);
    }
    return held;
  }
}
