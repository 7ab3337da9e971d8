package dev.holdfast.backup;

import dev.holdfast.HoldfastException;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.BackupTarget.Source;
import dev.holdfast.spi.backup.FilesCopy;
import dev.holdfast.spi.backup.JournalCopy;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Backups of a data directory that no runtime has open. After a kill the copy is what an opening
 * would begin with: the views as they are, and the journal up to its end. A file that the target
 * has is kept if its bytes are the same: without the runtime, nothing else shows that. Changes
 * nothing in the data directory. Stateless.
 */
public final class StoppedBackup {

  /**
   * The files of the views; {@code docs/formats} names them. Logs of objects have no meaning after
   * the end of a process.
   */
  private static final Pattern NAME =
      Pattern.compile(
          "sqlite/[^/]+/[0-9a-f]{3}/[0-9a-f]{64}\\.sqlite"
              + "|sqlite/catalog\\.sqlite(-wal(\\.kept)?)?"
              + "|rocksdb/(CURRENT|IDENTITY|(MANIFEST|OPTIONS)-\\d+|\\d+\\.(sst|blob))"
              + "|rocksdb\\.flushed");

  private static final Pattern OBJECT = Pattern.compile("sqlite/.+/[0-9a-f]{64}\\.sqlite");

  /** The version of a copy: it is kept only if its bytes are compared. */
  static final String COMPARED = "compared";

  private static final String SEGMENTS = "journal";

  private static final List<String> VIEWS = List.of("sqlite", "rocksdb", "rocksdb.flushed");

  private StoppedBackup() {}

  /**
   * What is copied, and how.
   *
   * @param directory the data directory, locked by the caller; of a backup, that no other one
   *     changes meanwhile
   * @param disk has it and the target
   * @param journal begins a copy of the files of the journal
   * @param position the last position of the journal
   * @param time the present
   * @param progress receives what is copied or kept
   */
  public record Host(
      Path directory,
      Disk disk,
      Function<BackupTarget, JournalCopy> journal,
      long position,
      Instant time,
      RestoreProgress progress) {}

  /**
   * Makes a backup.
   *
   * @param host what is copied
   * @param target the directory of the backup
   * @return the backup
   * @throws dev.holdfast.errors.BackupException if it cannot be made
   */
  public static Backup run(Host host, Path target) {
    Path directory = target.toAbsolutePath().normalize();
    BackupDirectory.requireApart(host.directory(), directory);
    try (DirectoryTarget copy =
        new DirectoryTarget(new BackupDirectory(host.disk(), directory), () -> {})) {
      StoppedViews views = new StoppedViews(host, copy);
      DirectoryImage image =
          new DirectoryImage(host.journal(), List.of(_ -> views), host::position, host::time);
      DirectoryImage.Copied copied = image.copy(copy);
      views.report();
      return copy.complete(directory, copied);
    } catch (HoldfastException e) {
      throw e;
    } catch (IOException e) {
      throw BackupDirectory.failure(directory, e);
    }
  }

  /** The files of the views, which no process changes meanwhile. Confined to one thread. */
  private static final class StoppedViews implements FilesCopy {

    private final Host host;
    private final DirectoryTarget target;
    private final long bytesMax;
    private long objects;
    private boolean isCopied;

    StoppedViews(Host host, DirectoryTarget target) throws IOException {
      this.host = host;
      this.target = target;
      long[] bytes = {0};
      FileTree.forEach(
          host.disk(),
          host.directory().resolve(SEGMENTS),
          file -> bytes[0] += FileTree.sizeOf(host.disk(), file));
      forEachFile((_, file) -> bytes[0] += FileTree.sizeOf(host.disk(), file));
      this.bytesMax = bytes[0];
    }

    private interface NamedVisitor {
      void visit(String name, Path file) throws IOException;
    }

    private void forEachFile(NamedVisitor visitor) throws IOException {
      for (String view : VIEWS) {
        FileTree.forEach(
            host.disk(),
            host.directory().resolve(view),
            file -> {
              String name = host.directory().relativize(file).toString().replace('\\', '/');
              if (NAME.matcher(name).matches()) {
                visitor.visit(name, file);
              }
            });
      }
    }

    @Override
    public int copyFiles() throws IOException {
      if (!isCopied) {
        isCopied = true;
        forEachFile(this::copy);
      }
      return 0; // nothing is copied again
    }

    /** Copies what the target does not have. */
    private void copy(String name, Path file) throws IOException {
      if (!target.keepSame(name, file)) {
        target.put(Source.whole(name, file, () -> COMPARED));
      }
      objects += OBJECT.matcher(name).matches() ? 1 : 0;
      report();
    }

    /** The spare end of the newest segment is not copied, so the size is no more than the sum. */
    void report() {
      long bytes = Math.min(target.bytes(), bytesMax);
      host.progress().restored(objects, bytes, bytesMax, host.position());
    }

    @Override
    public void hold() {}

    @Override
    public void close() {}
  }
}
