package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.file.CatalogState;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.PageSums;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The checksums of the pages in the file of the catalog. The file changes only when its log is
 * copied into it, so it can be read in parts, as long as the reading ends before the next copy.
 *
 * <p>Confined to the holder of the lock of the {@link SqliteCatalog}.
 */
final class CatalogPages {

  private final Disk disk;
  private final Path file;
  private final Path log;
  private final List<CatalogState> states;
  private final long fileBytes;
  private final PageSums sums;
  private int readPages;
  private boolean checked;

  private CatalogPages(
      Disk disk, Path file, Path log, List<CatalogState> states, long fileBytes, PageSums sums) {
    this.disk = disk;
    this.file = file;
    this.log = log;
    this.states = states;
    this.fileBytes = fileBytes;
    this.sums = sums;
  }

  /**
   * Checks the file that is about to be used: reads a small one; checks only the size of a large
   * one.
   *
   * @param states the states it may have; if there are none, the file is accepted as it is
   * @throws FileRefusedException if it matches none of them
   */
  static CatalogPages open(Disk disk, Path file, List<CatalogState> states) throws IOException {
    Path log = CatalogLog.of(disk, file).file();
    int pageBytes =
        states.isEmpty() ? PageFile.pageBytes(disk, file) : states.getLast().pageBytes();
    long bytes;
    try (DiskFile opened = disk.open(file, Mode.READ)) {
      bytes = opened.size();
    }
    CatalogPages pages =
        new CatalogPages(
            disk, file, log, states, bytes, new PageSums(pageBytes, (int) (bytes / pageBytes)));
    if (bytes <= SavedFiles.READ_AT_OPENING_BYTES_MAX) {
      pages.checkAll();
    } else if (!states.isEmpty()
        && states.stream().allMatch(state -> state.fileBytes() != bytes)
        && LoggedPages.read(disk, log, pageBytes, 1 << 30).frames() == 0) {
      throw damaged();
    }
    return pages;
  }

  /** {@return whether the whole file was read and matches} */
  boolean isChecked() {
    return checked;
  }

  /**
   * Reads the remaining parts, before the file is changed.
   *
   * @throws FileRefusedException if the file is not what it should be
   */
  void checkAll() throws IOException {
    while (!checked) {
      checkSome();
    }
  }

  /**
   * Reads a part of the file.
   *
   * @throws FileRefusedException if that was the last one, and the file is not what it should be
   */
  void checkSome() throws IOException {
    int pageBytes = sums.pageBytes();
    if (readPages < sums.pages()) {
      int last = Math.min(sums.pages(), readPages + SqliteBounds.CATALOG_PART_BYTES / pageBytes);
      try (PageFile opened = PageFile.open(disk, file, Mode.READ, pageBytes)) {
        if (opened.forEach(readPages + 1, last, sums::set) < last) {
          throw new FileRefusedException("was truncated during use");
        }
      }
      readPages = last;
    }
    if (readPages == sums.pages()) {
      judge();
      checked = true;
    }
  }

  private void judge() throws IOException {
    if (states.isEmpty() || states.stream().anyMatch(this::isState)) {
      return;
    }
    // The process may have ended while the log was copied: then the log has what the file lacks.
    CatalogState last = states.getLast();
    LoggedPages logged = LoggedPages.read(disk, log, last.pageBytes(), last.frames());
    if (last.frames() > 0 && logged.frames() == last.frames()) {
      PageSums copied = new PageSums(last.pageBytes(), sums.pages());
      for (int page = 1; page <= sums.pages(); page++) {
        copied.set(page, sums.sum(page));
      }
      withLogged(copied, logged);
      if (copied.pages() == last.pages() && copied.checksum() == last.checksum()) {
        return;
      }
    }
    throw damaged();
  }

  private boolean isState(CatalogState state) {
    return fileBytes == state.fileBytes() && sums.checksum() == state.checksum();
  }

  private static FileRefusedException damaged() {
    return new FileRefusedException("is not the one that was saved: its checksum differs");
  }

  private static void withLogged(PageSums sums, LoggedPages logged) {
    sums.resize(logged.pages());
    logged
        .sums()
        .forEach(
            (page, sum) -> {
              if (page <= logged.pages()) {
                sums.set(page, sum);
              }
            });
  }

  /**
   * {@return the state of the file after the log, which is durable, was copied into it; everything
   * was checked before}
   */
  CatalogState copying() throws IOException {
    LoggedPages logged = LoggedPages.read(disk, log, sums.pageBytes(), Integer.MAX_VALUE);
    if (logged.frames() > 0) {
      withLogged(sums, logged);
    }
    return new CatalogState(sums.pageBytes(), sums.pages(), sums.checksum(), logged.frames());
  }

  /** {@return the state of a file that is not open and has no log} */
  static CatalogState stateOf(Disk disk, Path file) throws IOException {
    PageSums read = PageFile.sums(disk, file);
    return new CatalogState(read.pageBytes(), read.pages(), read.checksum(), 0);
  }
}
