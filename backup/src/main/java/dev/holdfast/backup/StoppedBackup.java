package dev.holdfast.backup;

import dev.holdfast.HoldfastException;
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
import java.util.regex.Pattern;

/**
 * Backups of a data directory that no runtime has open. After a kill the copy is what an opening
 * would begin with: the views as they are, and the journal up to its end. Changes nothing in the
 * data directory. Stateless.
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

  private static final List<String> VIEWS = List.of("sqlite", "rocksdb", "rocksdb.flushed");

  private StoppedBackup() {}

  /**
   * What is copied, and how.
   *
   * @param directory the data directory, locked by the caller
   * @param disk has it and the target
   * @param journal begins a copy of the files of the journal
   * @param position the last position of the journal
   * @param time the present
   */
  public record Host(
      Path directory,
      Disk disk,
      Function<BackupTarget, JournalCopy> journal,
      long position,
      Instant time) {}

  /**
   * Makes a backup.
   *
   * @param host what is copied
   * @param target the directory of the backup
   * @return the backup
   * @throws dev.holdfast.errors.BackupException if it cannot be made
   * @throws dev.holdfast.errors.DataDirectoryException if the data directory is itself the target
   *     of an interrupted backup
   */
  public static Backup run(Host host, Path target) {
    Path directory = target.toAbsolutePath().normalize();
    BackupDirectory.requireApart(host.directory(), directory);
    new BackupDirectory(host.disk(), host.directory()).requireComplete();
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
      journal.copySegments();
      for (String view : VIEWS) {
        copy(host, host.directory().resolve(view), target);
      }
      journal.copyUpTo(host.position());
      return new DirectoryBackup.Copied(journal.journalId(), host.position(), host.time());
    }
  }

  private static void copy(Host host, Path path, BackupTarget target) throws IOException {
    if (Files.isDirectory(path)) {
      for (Path each : host.disk().list(path)) {
        copy(host, each, target);
      }
      return;
    }
    String name = host.directory().relativize(path).toString().replace('\\', '/');
    if (host.disk().exists(path) && NAME.matcher(name).matches()) {
      target.put(Source.whole(name, path, () -> null));
    }
  }
}
