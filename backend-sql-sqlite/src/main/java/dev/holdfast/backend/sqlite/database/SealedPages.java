package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.wal.BatchScratch;
import dev.holdfast.backend.sqlite.wal.BatchWriter;
import dev.holdfast.backend.sqlite.wal.BatchWriter.Image;
import dev.holdfast.backend.sqlite.wal.CommitLog;
import dev.holdfast.backend.sqlite.wal.WalCommit;
import dev.holdfast.spi.disk.Disk.Mode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The pages of an open database as of its last sealed batch: what the next batch is made against.
 * Confined to the holder of the claim.
 */
final class SealedPages {

  private final ObjectFiles files;
  private final Path file;

  /** Size of the file when it was opened. */
  private final long openedBytes;

  /** Pages of which the journal has a whole image since the base. */
  private final BitSet whole = new BitSet();

  /** Size after the last sealed batch; -1 while the size of the file was not read. */
  private int count = -1;

  SealedPages(ObjectFiles files, Path file, long openedBytes) {
    this.files = files;
    this.file = file;
    this.openedBytes = openedBytes;
  }

  /** {@return whether a batch was sealed since the file was opened} */
  boolean isNews() {
    return count >= 0;
  }

  /** {@return the number of pages, 0 for a newly created file} */
  int count(int pageBytes) {
    return count >= 0 ? count : (int) (openedBytes / pageBytes);
  }

  /**
   * {@return whether the directory may not durably contain the file's entry: nothing was ever
   * sealed into a file of one page, so it was never saved}
   */
  boolean entryMayBeNew() {
    return openedBytes <= PageSize.DEFAULT_BYTES;
  }

  /** Begins a new base: from here on, pages are journaled whole when they are first written. */
  void beginBase() {
    whole.clear();
  }

  /** Records a commit as sealed. */
  void sealed(WalCommit commit) {
    for (int index = 0; index < commit.frameCount(); index++) {
      whole.set(commit.page(index));
    }
    resize(commit.pagesAfter);
  }

  /** Records a batch as sealed whose pages were written to the file. */
  void sealed(BitSet written, int pages) {
    whole.or(written);
    resize(pages);
  }

  private void resize(int pages) {
    count = pages;
    whole.clear(pages + 1, Math.max(pages + 1, whole.length()));
  }

  /**
   * Writes the pages of a commit that is not yet sealed.
   *
   * @param log has the pages
   * @param scratch has the commit, and a writer that was begun
   */
  void write(CommitLog log, BatchScratch scratch) throws IOException {
    WalCommit commit = scratch.commit;
    BatchWriter writer = scratch.writer;
    int before = count(commit.pageBytes);
    scratch.ensurePageBytes(commit.pageBytes);
    try (Reader reader = new Reader(log, scratch)) {
      for (int index = 0; index < commit.frameCount(); index++) {
        int page = commit.page(index);
        if (!commit.counts(index)) {
          continue;
        }
        Image after = reader.after(index);
        if (page > before) {
          writer.added(page, after);
        } else if (whole.get(page)) {
          writer.changed(page, reader.before(page), after);
        } else {
          writer.firstChanged(page, reader.before(page), after);
        }
      }
      for (int page = commit.pagesAfter + 1; page <= before; page++) {
        writer.cutOff(page, reader.before(page));
      }
    }
  }

  /** Reads the pages of one commit. Opens the file only if needed: saves a descriptor. */
  private final class Reader implements AutoCloseable {

    private final CommitLog log;
    private final BatchScratch scratch;
    private final WalCommit commit;
    private @Nullable PageFile opened;

    Reader(CommitLog log, BatchScratch scratch) {
      this.log = log;
      this.scratch = scratch;
      this.commit = scratch.commit;
    }

    /** {@return a page after the commit} */
    Image after(int index) throws IOException {
      return log.after(commit, index, scratch.after);
    }

    /** {@return a page as it was before the commit} */
    Image before(int page) throws IOException {
      Image logged = log.before(commit, page, scratch.before);
      if (logged != null) {
        return logged;
      }
      readFile(page, scratch.before);
      return new Image(scratch.before, 0);
    }

    private void readFile(int page, byte[] target) throws IOException {
      PageFile reading = opened;
      if (reading == null) {
        reading = files.open(file, Mode.READ, commit.pageBytes);
        opened = reading;
      }
      reading.read(page, target);
    }

    @Override
    public void close() throws IOException {
      if (opened != null) {
        opened.close();
      }
    }
  }
}
