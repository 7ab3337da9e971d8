package dev.holdfast.backend.sqlite;

import dev.holdfast.ObjectFileException;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file that is written under another name first, so that its own name stands for a whole file or
 * for none. Owned by one thread.
 */
final class ExportedFile implements ObjectFileFormat.PendingFile {

  private final Disk disk;
  private final ObjectKey key;
  private final Path target;
  private boolean published;

  ExportedFile(Disk disk, ObjectKey key, Path target) {
    this.disk = disk;
    this.key = key;
    this.target = target.toAbsolutePath();
  }

  /** {@return the name it has until it is published} */
  Path partial() {
    return target.resolveSibling(target.getFileName() + ".part");
  }

  /** Makes an empty file, in place of what an export that was killed may have left. */
  void prepare() throws IOException {
    requireFree();
    Path directory = target.getParent();
    if (directory == null || !disk.exists(directory)) {
      throw failed("cannot be written: there is no directory " + directory + "; make it.", null);
    }
    deletePartial();
    disk.open(partial(), Disk.Mode.CREATE).close();
  }

  void force() throws IOException {
    try (DiskFile file = disk.open(partial(), Disk.Mode.WRITE)) {
      file.force();
    }
  }

  @Override
  public void publish() {
    requireFree();
    try {
      disk.move(partial(), target);
      published = true;
      disk.forceDirectory(java.util.Objects.requireNonNull(target.getParent()));
    } catch (IOException e) {
      throw failed("cannot be written: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    if (published) {
      return;
    }
    try {
      deletePartial();
    } catch (IOException e) {
      // The export has failed or was given up; a partial file that stays does no harm.
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.DEBUG, "A partial file cannot be deleted.", e);
    }
  }

  ObjectFileException failed(String message, @Nullable Throwable cause) {
    return new ObjectFileException(key.namespace(), key.id(), target, message, cause);
  }

  private void requireFree() {
    if (disk.exists(target)) {
      throw failed("exists already; delete it, or choose another name.", null);
    }
  }

  private void deletePartial() throws IOException {
    for (String suffix : List.of("", "-journal", "-wal", "-shm")) {
      disk.delete(partial().resolveSibling(partial().getFileName() + suffix));
    }
  }
}
