package dev.holdfast.backup;

import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.FilesCopy;
import dev.holdfast.spi.backup.JournalCopy;
import dev.holdfast.spi.backup.ViewImage;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The image of a data directory as of one position, in use or not, for a directory, a store or
 * another node: the order of the steps is here, and nowhere else.
 *
 * <p>The journal is pinned; the views are copied in rounds, while everything goes on; they are
 * held, and the rest is copied; the durable end of the journal is read, which is the position of
 * the image; the hold ends; the journal is copied up to the position. Nothing that was copied is
 * ahead of the position, and the journal of the image brings each copy up to it.
 *
 * @param journal begins a copy of the files of the journal
 * @param views begins a copy of the files of a view, one for each view with files
 * @param end gives the durable end of the journal
 * @param now gives the time
 */
record DirectoryImage(
    Function<BackupTarget, JournalCopy> journal,
    List<Function<BackupTarget, FilesCopy>> views,
    LongSupplier end,
    Supplier<Instant> now) {

  /**
   * Rounds end when one copies few files; each is shorter than the one before, or there is load.
   */
  private static final int ROUNDS_MAX = 4;

  private static final int FEW_FILES = 16;

  /**
   * What was copied.
   *
   * @param journalId of which journal
   * @param position up to which position
   * @param time when the position was determined
   */
  record Copied(long journalId, long position, Instant time) {}

  /** Copies the journal and the views. */
  Copied copy(DirectoryTarget target) throws IOException {
    try (JournalCopy copy = journal.apply(target)) {
      target.open(copy.journalId());
      copy.copySegments();
      long position = copyFiles(target);
      Instant time = now.get();
      copy.copyUpTo(position);
      return new Copied(copy.journalId(), position, time);
    }
  }

  /**
   * Copies the views.
   *
   * @param pinned called once after the last file, while the journal is pinned
   */
  void copyViews(BackupTarget target, Consumer<ViewImage> pinned) throws IOException {
    try (JournalCopy copy = journal.apply(target)) {
      long position = copyFiles(target);
      pinned.accept(new ViewImage(copy.lowWaterMark(), position, now.get().toEpochMilli()));
    }
  }

  /** {@return the position up to which the journal brings the copies} */
  private long copyFiles(BackupTarget target) throws IOException {
    List<FilesCopy> copies = new ArrayList<>();
    try {
      views.forEach(view -> copies.add(view.apply(target)));
      int copied = Integer.MAX_VALUE;
      for (int round = 0; round < ROUNDS_MAX && copied > FEW_FILES; round++) {
        copied = 0;
        for (FilesCopy each : copies) {
          copied += each.copyFiles();
        }
      }
      for (FilesCopy each : copies) {
        each.hold();
      }
      // Last: no file that was copied has more than was durable when it was read.
      return end.getAsLong();
    } finally {
      copies.forEach(FilesCopy::close);
    }
  }
}
