package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.PageFile;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.wal.BatchScratch;
import dev.holdfast.backend.sqlite.wal.BatchWriter;
import dev.holdfast.backend.sqlite.wal.BatchWriter.Image;
import dev.holdfast.backend.sqlite.wal.PageIndex;
import dev.holdfast.backend.sqlite.wal.WalCommit;
import dev.holdfast.backend.sqlite.wal.WalFile;
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
  private final WalFile wal;

  /** Size of the file when it was opened. */
  private final long openedBytes;

  /** Pages of which the journal has a whole image since the base. */
  private final BitSet whole = new BitSet();

  /** Size after the last sealed batch; -1 while it is that of the file, which was not yet read. */
  private int count = -1;

  SealedPages(ObjectFiles files, Path file, WalFile wal, long openedBytes) {
    this.files = files;
    this.file = file;
    this.wal = wal;
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
   * @param scratch has the commit, and a writer that was begun
   */
  void write(BatchScratch scratch) throws IOException {
    WalCommit commit = scratch.commit;
    BatchWriter writer = scratch.writer;
    int before = count(commit.pageBytes);
    scratch.ensurePageBytes(commit.pageBytes);
    try (Reader reader = new Reader(scratch)) {
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

    private final BatchScratch scratch;
    private final WalCommit commit;
    private @Nullable PageFile opened;

    Reader(BatchScratch scratch) {
      this.scratch = scratch;
      this.commit = scratch.commit;
    }

    /** {@return a page after the commit} */
    Image after(int index) throws IOException {
      return logged(commit.firstFrame() + index, scratch.after);
    }

    /** {@return a page as it was before the commit} */
    Image before(int page) throws IOException {
      int frame = wal.frameBefore(commit, page);
      if (frame != PageIndex.NONE) {
        return logged(frame, scratch.before);
      }
      readFile(page, scratch.before);
      return new Image(scratch.before, 0);
    }

    private Image logged(int frame, byte[] target) throws IOException {
      int inChunk = WalFile.offsetInChunk(commit, frame);
      if (inChunk >= 0) {
        return new Image(commit.chunk, inChunk);
      }
      wal.readPage(frame, commit.pageBytes, target);
      return new Image(target, 0);
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
