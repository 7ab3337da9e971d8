package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.file.CatalogState;
import dev.holdfast.backend.sqlite.file.FilePages;
import dev.holdfast.backend.sqlite.file.FileRefusedException;
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
 * copied into it; so it can be read bit by bit, as long as that is over before the next copy.
 *
 * <p>Owned by whoever holds the lock of the {@link SqliteCatalog}.
 */
final class CatalogPages {

  /** What is read at a time. */
  private static final int PART_BYTES = 1 << 20;

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
   * Looks at the file that is about to be used: a small one is read, of a large one the size is
   * looked at.
   *
   * @param states those it may have; if there are none, the file is taken as it is
   * @throws FileRefusedException if it has none of them
   */
  static CatalogPages open(Disk disk, Path file, List<CatalogState> states) throws IOException {
    Path log = CatalogLog.of(disk, file).file();
    int pageBytes =
        states.isEmpty() ? FilePages.pageBytes(disk, file) : states.getLast().pageBytes();
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

  /** {@return whether the whole file was read, and is what it should be} */
  boolean isChecked() {
    return checked;
  }

  /**
   * Reads what was not read yet, before the file is changed.
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
      int count = Math.min(sums.pages() - readPages, PART_BYTES / pageBytes);
      byte[] part = new byte[count * pageBytes];
      try (DiskFile opened = disk.open(file, Mode.READ)) {
        if (opened.read(part, 0, part.length, (long) readPages * pageBytes) < part.length) {
          throw new FileRefusedException("was cut while it was used");
        }
      }
      for (int at = 0; at < part.length; at += pageBytes) {
        sums.set(++readPages, PageSums.sum(part, at, pageBytes));
      }
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
    // Perhaps the process ended while the log was copied: then the log has what the file has not.
    CatalogState last = states.getLast();
    LoggedPages logged = LoggedPages.read(disk, log, last.pageBytes(), last.frames());
    if (last.frames() > 0 && logged.frames() == last.frames()) {
      PageSums copied = new PageSums(last.pageBytes(), sums.pages());
      for (int page = 1; page <= sums.pages(); page++) {
        copied.set(page, sums.sum(page));
      }
      overlay(copied, logged);
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
    return new FileRefusedException("is not the one that was saved: its checksum is another");
  }

  private static void overlay(PageSums sums, LoggedPages logged) {
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
   * {@return what the file will be when the log, which is durable, was copied into it; everything
   * was checked before}
   */
  CatalogState copying() throws IOException {
    LoggedPages logged = LoggedPages.read(disk, log, sums.pageBytes(), Integer.MAX_VALUE);
    if (logged.frames() > 0) {
      overlay(sums, logged);
    }
    return new CatalogState(sums.pageBytes(), sums.pages(), sums.checksum(), logged.frames());
  }

  /** {@return what a file is that nobody has open, and that has no log} */
  static CatalogState stateOf(Disk disk, Path file) throws IOException {
    PageSums read = FilePages.read(disk, file);
    return new CatalogState(read.pageBytes(), read.pages(), read.checksum(), 0);
  }
}
