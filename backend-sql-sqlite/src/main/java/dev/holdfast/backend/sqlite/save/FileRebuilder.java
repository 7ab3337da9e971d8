package dev.holdfast.backend.sqlite.save;

import dev.holdfast.HoldfastException;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.RedonePages;
import dev.holdfast.backend.sqlite.file.SavedFiles;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.backend.sqlite.wal.RebuiltFile;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds a lost or damaged file from the batches that the journal still has: all since the
 * object's first, or all since an older copy of the file. The saved state decides whether the
 * result is right. Thread-safe.
 */
public final class FileRebuilder implements SavedFiles.Rebuilder {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Disk disk;
  private final ObjectFiles files;
  private final int viewId;

  /** Null until it is set: nothing can be rebuilt then. */
  private volatile @Nullable JournalHistory history;

  public FileRebuilder(Disk disk, ObjectFiles files, int viewId) {
    this.disk = disk;
    this.files = files;
    this.viewId = viewId;
  }

  public void use(JournalHistory past) {
    history = past;
  }

  /**
   * The last saved state of an object that the journal has.
   *
   * @param state the state
   * @param isLast whether the object has no batch after the state
   */
  public record Past(SavedState state, boolean isLast) {}

  /** {@return what the journal has about the file of an object; null if nothing} */
  public @Nullable Past past(ObjectKey key) {
    JournalHistory past = history;
    if (past == null) {
      return null;
    }
    SavedState state = null;
    boolean isLast = true;
    try (HistoryCursor cursor = past.newestFirst(key, Long.MAX_VALUE)) {
      // Turns run while a file is synced: their batches are between the state and its record.
      while (cursor.next() && (state == null || cursor.position() > state.position())) {
        boolean isRecord = cursor.viewId() == viewId && cursor.kind() == RecordKind.CHECKPOINT;
        if (isRecord && state == null) {
          state = SavedState.decode(cursor.read().payload());
        }
        isLast &= cursor.viewId() != viewId || !cursor.kind().isBatch();
      }
    } catch (NoSuchElementException e) {
      LOG.log(Level.DEBUG, () -> "The history of " + key + " was removed during the search.", e);
      return null;
    }
    return state == null ? null : new Past(state, isLast);
  }

  @Override
  public boolean rebuild(ObjectKey key, Path file, SavedState state, long lastPosition)
      throws IOException {
    JournalHistory past = history;
    if (past == null) {
      return false;
    }
    Path made = file.resolveSibling(file.getFileName() + ".new");
    try {
      List<Long> positions = positions(past, key, lastPosition);
      boolean isRebuilt = !positions.isEmpty() && make(past, key, positions, file, made, state);
      if (isRebuilt) {
        replace(key, file, made);
      }
      return isRebuilt;
    } catch (HoldfastException | NoSuchElementException | IllegalArgumentException e) {
      LOG.log(Level.WARNING, () -> file + " cannot be rebuilt from the journal.", e);
      return false;
    } finally {
      disk.delete(made);
    }
  }

  /** {@return the last batch of an object that the journal has; null if it has none} */
  public @Nullable Long lastBatch(ObjectKey key) {
    JournalHistory past = history;
    if (past == null) {
      return null;
    }
    try (HistoryCursor cursor = past.newestFirst(key, Long.MAX_VALUE)) {
      while (cursor.next()) {
        if (cursor.viewId() == viewId && cursor.kind().isBatch()) {
          return cursor.position();
        }
      }
      return null;
    }
  }

  /**
   * {@return the positions of an object's batches, newest first, down to the oldest without a gap}
   */
  private List<Long> positions(JournalHistory past, ObjectKey key, long last) {
    List<Long> positions = new ArrayList<>();
    long expected = last;
    try (HistoryCursor cursor = past.newestFirst(key, last)) {
      while (cursor.next() && cursor.position() >= expected) {
        if (cursor.viewId() == viewId && cursor.kind().isBatch()) {
          if (cursor.position() != expected) {
            break;
          }
          positions.add(expected);
          expected = cursor.link().previous();
        }
      }
    }
    return positions;
  }

  private boolean make(
      JournalHistory past,
      ObjectKey key,
      List<Long> positions,
      Path file,
      Path made,
      SavedState state)
      throws IOException {
    disk.delete(made);
    RebuiltFile target = new RebuiltFile(files, made, new RedonePages());
    boolean isFirst = true;
    boolean isVerified = false;
    for (long position : positions.reversed()) {
      if (!isVerified && position > state.position()) {
        if (isFirst || !isAsSaved(target, made, state)) {
          return false;
        }
        isVerified = true;
      }
      try (HistoryCursor cursor = past.newestFirst(key, position)) {
        boolean isHere = cursor.next();
        while (isHere && (cursor.viewId() != viewId || !cursor.kind().isBatch())) {
          isHere = cursor.next(); // a node's own record counts as being at the same position
        }
        if (!isHere || cursor.position() != position) {
          return false;
        }
        BatchReader batch = new BatchReader(cursor.read().payload());
        if (isFirst && batch.pagesBefore() > 1) {
          // The journal does not have all batches of the object, but perhaps all since this file.
          if (!file.toFile().exists()) {
            return false;
          }
          Files.copy(file, made, StandardCopyOption.REPLACE_EXISTING);
        }
        isFirst = false;
        if (!redoParts(past, key, batch.firstPart(), cursor, target)) {
          return false;
        }
        redo(target, batch);
      }
    }
    if (!isVerified) {
      return isAsSaved(target, made, state);
    }
    target.write();
    return true;
  }

  private static void redo(RebuiltFile target, BatchReader batch) throws IOException {
    target.redo(batch);
    if (target.heldBytes() > RebuiltFile.HELD_BYTES_MAX) {
      target.write();
    }
  }

  /**
   * Each page is in one part at most, so their order does not matter.
   *
   * @return whether the journal has all parts of the batch
   */
  private boolean redoParts(
      JournalHistory past, ObjectKey key, long firstPart, HistoryCursor last, RebuiltFile target)
      throws IOException {
    int expected = last.link().parts();
    if (expected == 0) {
      return firstPart == 0;
    }
    try (HistoryCursor cursor = past.newestFirst(key, last.position() - 1)) {
      while (expected > 0 && cursor.next() && cursor.position() >= firstPart) {
        if (cursor.viewId() == viewId && cursor.kind() == RecordKind.UNDO_PART) {
          if (cursor.link().parts() != expected) {
            return false;
          }
          redo(target, new BatchReader(cursor.read().payload()));
          expected--;
        }
      }
    }
    return expected == 0;
  }

  /** The journal does not cover bytes that it does not have; the saved state does. */
  private boolean isAsSaved(RebuiltFile target, Path made, SavedState state) throws IOException {
    target.write();
    return files.isSaved(made, state);
  }

  private void replace(ObjectKey key, Path file, Path made) throws IOException {
    try (DiskFile opened = disk.open(made, Mode.WRITE)) {
      opened.force();
    }
    files.replace(file, made);
    LOG.log(
        Level.WARNING,
        () ->
            "The database file of "
                + key
                + " was missing or damaged; it was rebuilt from the journal, complete: "
                + file);
  }
}
