package dev.holdfast.backend.sqlite.exchange;

import dev.holdfast.ObjectFileException;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file that is first written under another name, so that its own name refers to a complete file
 * or to none. Confined to one thread.
 */
public final class ExportedFile implements ObjectFileFormat.PendingFile {

  private static final String TAKEN = "exists already; delete it, or choose another name.";

  private final Disk disk;
  private final ObjectKey key;
  private final Path target;

  /** The temporary name; the target until there is one. */
  private Path partial;

  /** Whether the partial file is now the target, and has no other name to be deleted. */
  private boolean moved;

  public ExportedFile(Disk disk, ObjectKey key, Path target) {
    this.disk = disk;
    this.key = key;
    this.target = target.toAbsolutePath();
    this.partial = this.target;
  }

  /** {@return the name it has until it is published} */
  public Path partial() {
    return partial;
  }

  /**
   * Creates an empty file under an unused name: another export to the same target may run, and a
   * killed one may have left its file.
   */
  public void prepare() throws IOException {
    requireFree();
    Path directory = target.getParent();
    if (directory == null || !disk.exists(directory)) {
      throw failed("cannot be written: there is no directory " + directory + "; create it.", null);
    }
    for (int number = 1; partial.equals(target); number++) {
      partial = create(target.getFileName() + (number == 1 ? ".part" : "." + number + ".part"));
    }
  }

  /** {@return the new file; the target if the name is taken} */
  private Path create(String name) throws IOException {
    try {
      return FileDisk.createNew(target.resolveSibling(name));
    } catch (FileAlreadyExistsException e) {
      return target;
    }
  }

  public void force() throws IOException {
    try (DiskFile file = disk.open(partial, Disk.Mode.WRITE)) {
      file.force();
    }
  }

  @Override
  public void publish() {
    requireFree();
    boolean named = false;
    try {
      name();
      named = true;
      disk.forceDirectory(Objects.requireNonNull(target.getParent()));
    } catch (FileAlreadyExistsException e) {
      throw failed(TAKEN, e);
    } catch (IOException e) {
      ObjectFileException failure = failed("cannot be written: " + e.getMessage(), e);
      if (named) {
        deleteTarget(failure);
      }
      throw failure;
    }
  }

  /** A caller that got an error must not find on the next attempt that the file already exists. */
  private void deleteTarget(ObjectFileException failure) {
    try {
      disk.delete(target);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** A link and not a move, which would replace the file of an export that was faster. */
  private void name() throws IOException {
    try {
      Files.createLink(target, partial);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (UnsupportedOperationException | FileSystemException e) {
      requireFree(); // a file system without links: the best that is possible
      disk.move(partial, target);
      moved = true;
    }
  }

  @Override
  public void close() {
    if (moved || partial.equals(target)) {
      return; // there is no other name, or not yet
    }
    try {
      deletePartial();
    } catch (IOException e) {
      // The export has failed or was abandoned; a remaining partial file does no harm.
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.DEBUG, "A partial file cannot be deleted.", e);
    }
  }

  public ObjectFileException failed(String message, @Nullable Throwable cause) {
    return new ObjectFileException(key.namespace(), key.id(), target, message, cause);
  }

  private void requireFree() {
    if (disk.exists(target)) {
      throw failed(TAKEN, null);
    }
  }

  private void deletePartial() throws IOException {
    for (String suffix : List.of("", "-journal", "-wal", "-shm")) {
      disk.delete(partial.resolveSibling(partial.getFileName() + suffix));
    }
  }
}
