package dev.holdfast.verify.sqlite;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.RedonePages;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.wal.BaseNeeds;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.backend.sqlite.wal.RebuiltFile;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Applies batches to files in a scratch directory, and keeps which pages of them the journal
 * determines: those that a batch had whole. Confined to one thread.
 */
final class Replay {

  private final ObjectFiles scratch;
  private final int viewId;
  private final RecoveryLog log;
  private final Map<ObjectKey, Image> images = new HashMap<>();

  /** Images with pages in memory, least recently changed first. */
  private final Map<ObjectKey, Image> held = new LinkedHashMap<>(16, 0.75f, true);

  private long heldBytes;

  Replay(ObjectFiles scratch, int viewId, RecoveryLog log) {
    this.scratch = scratch;
    this.viewId = viewId;
    this.log = log;
  }

  /** The file of one object as the batches make it. */
  static final class Image {
    private final Path file;
    private final RebuiltFile target;
    private final RedonePages redone = new RedonePages();
    private final @Nullable SavedState state;
    private @Nullable BaseNeeds needs;
    private boolean isFromFirst;
    private boolean isCompared;
    private boolean isAsSaved;
    private int pageBytes;
    private int pages;

    private Image(ObjectFiles scratch, Path file, @Nullable SavedState state) {
      this.file = file;
      this.target = new RebuiltFile(scratch, file, redone);
      this.state = state;
    }

    /** {@return the file; it exists only if a batch had pages} */
    Path file() {
      return file;
    }

    /** {@return the pages that batches wrote} */
    RedonePages redone() {
      return redone;
    }

    /** {@return whether the journal determines a page} */
    boolean isWhole(int page) {
      return needs != null && needs.isWhole(page);
    }

    /**
     * {@return whether the batches may apply to a file of a length}
     *
     * @param fileBytes the length; 0 for no file
     */
    boolean mayBeginWith(long fileBytes) {
      return needs == null || needs.isMetBy(fileBytes);
    }

    /** {@return the size of a page; 0 if no batch had pages} */
    int pageBytes() {
      return pageBytes;
    }

    /** {@return how many pages there are after the last batch} */
    int pages() {
      return pages;
    }

    /** {@return whether the batches are all since the object's first, and lead to its state} */
    boolean isComplete() {
      return isFromFirst && (state == null || isAsSaved);
    }
  }

  /**
   * Applies a record, if it is a batch.
   *
   * @param state the saved state that the image must have on the way; null for none
   */
  void redo(JournalRecord record, @Nullable SavedState state) throws IOException {
    if (!record.kind().isBatch()) {
      return;
    }
    ObjectKey key = record.key();
    BatchReader batch = new BatchReader(record.payload());
    if (!batch.hasPages()) {
      return;
    }
    Image image =
        images.computeIfAbsent(key, _ -> new Image(scratch, scratch.database(key), state));
    compareWithState(image, record.position());
    if (image.needs == null) {
      image.needs = new BaseNeeds(batch);
      image.isFromFirst = batch.pagesBefore() <= 1;
    }
    if (batch.firstPart() > 0) {
      redoParts(record, batch.firstPart(), image);
    }
    apply(key, image, batch, new BatchReader(record.payload()));
  }

  private void redoParts(JournalRecord last, long firstPart, Image image) {
    log.forEachFrom(
        firstPart,
        (view, kind) -> view == viewId && kind == RecordKind.UNDO_PART,
        part -> {
          if (part.key().equals(last.key()) && part.position() < last.position()) {
            try {
              apply(
                  last.key(),
                  image,
                  new BatchReader(part.payload()),
                  new BatchReader(part.payload()));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        });
  }

  /**
   * @param batch for the image
   * @param again the same, to be read once more
   */
  private void apply(ObjectKey key, Image image, BatchReader batch, BatchReader again)
      throws IOException {
    image.pageBytes = batch.pageBytes();
    image.pages = batch.pagesAfter();
    if (image.needs != null) {
      image.needs.add(again);
    }
    long before = image.target.heldBytes();
    image.target.redo(batch);
    heldBytes += image.target.heldBytes() - before;
    held.put(key, image);
    while (heldBytes > RebuiltFile.HELD_BYTES_MAX) {
      writeEldest();
    }
  }

  private void compareWithState(Image image, long position) throws IOException {
    SavedState state = image.state;
    if (state == null || image.isCompared || position <= state.position()) {
      return;
    }
    image.isCompared = true;
    if (image.needs != null) {
      write(image);
      image.isAsSaved = scratch.isSaved(image.file, state);
    }
  }

  private void writeEldest() throws IOException {
    Iterator<Image> eldest = held.values().iterator();
    Image image = eldest.next();
    eldest.remove();
    heldBytes -= image.target.heldBytes();
    image.target.write();
  }

  private void write(Image image) throws IOException {
    if (held.values().remove(image)) {
      heldBytes -= image.target.heldBytes();
      image.target.write();
    }
  }

  /** Writes what is in memory. Call it after the last record. */
  void end() throws IOException {
    while (!held.isEmpty()) {
      writeEldest();
    }
    for (Image image : images.values()) {
      compareWithState(image, Long.MAX_VALUE);
    }
  }

  /** {@return the image of an object; null if no batch had pages} */
  @Nullable Image image(ObjectKey key) {
    return images.get(key);
  }
}
