package dev.holdfast.backup;

import dev.holdfast.HoldfastException;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.BackupTarget.Source;
import dev.holdfast.spi.backup.JournalCopy;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
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
      return copy.complete(directory, copy(host, copy));
    } catch (HoldfastException e) {
      throw e;
    } catch (IOException e) {
      throw BackupDirectory.failure(directory, e);
    }
  }

  private static DirectoryBackup.Copied copy(Host host, DirectoryTarget target) throws IOException {
    try (JournalCopy journal = host.journal().apply(target)) {
      target.open(journal.journalId());
      Path data = host.directory();
      long bytesMax = bytes(host, data.resolve(SEGMENTS), _ -> true);
      for (String view : VIEWS) {
        bytesMax += bytes(host, data.resolve(view), name -> NAME.matcher(name).matches());
      }
      journal.copySegments();
      ViewFiles copied = new ViewFiles(host, target, bytesMax);
      for (String view : VIEWS) {
        copied.copy(data.resolve(view));
      }
      journal.copyUpTo(host.position());
      copied.report();
      return new DirectoryBackup.Copied(journal.journalId(), host.position(), host.time());
    }
  }

  private static long bytes(Host host, Path path, Predicate<String> isCopied) throws IOException {
    if (Files.isDirectory(path)) {
      long bytes = 0;
      for (Path each : host.disk().list(path)) {
        bytes += bytes(host, each, isCopied);
      }
      return bytes;
    }
    return host.disk().exists(path) && isCopied.test(name(host, path))
        ? StagedFiles.sizeOf(host.disk(), path)
        : 0;
  }

  private static String name(Host host, Path path) {
    return host.directory().relativize(path).toString().replace('\\', '/');
  }

  /** The files of the views. Confined to one thread. */
  private static final class ViewFiles {

    private final Host host;
    private final DirectoryTarget target;
    private final long bytesMax;
    private long objects;

    ViewFiles(Host host, DirectoryTarget target, long bytesMax) {
      this.host = host;
      this.target = target;
      this.bytesMax = bytesMax;
    }

    /** Copies what the target does not have: no process changes the files meanwhile. */
    void copy(Path path) throws IOException {
      if (Files.isDirectory(path)) {
        for (Path each : host.disk().list(path)) {
          copy(each);
        }
        return;
      }
      String name = name(host, path);
      if (!host.disk().exists(path) || !NAME.matcher(name).matches()) {
        return;
      }
      if (!target.keepSame(name, path)) {
        target.put(Source.whole(name, path, () -> COMPARED));
      }
      objects += OBJECT.matcher(name).matches() ? 1 : 0;
      report();
    }

    /** The spare end of the newest segment is not copied, so the size is no more than the sum. */
    void report() {
      long bytes = Math.min(target.bytes(), bytesMax);
      host.progress().restored(objects, bytes, bytesMax, host.position());
    }
  }
}
