package dev.holdfast.journal.image;

import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.ViewImage;
import java.util.function.Consumer;

/** Copies the files of a shard's objects while its owner has them open. */
public interface ImageMaker {

  /**
   * Begins to copy the files, and returns. One of the two receivers is called at the end, on
   * another thread.
   *
   * @param target receives the files
   * @param pinned receives what the copies are, while the objects are still open
   * @param failed receives why there are none
   */
  void make(BackupTarget target, Consumer<ViewImage> pinned, Consumer<Throwable> failed);
}
