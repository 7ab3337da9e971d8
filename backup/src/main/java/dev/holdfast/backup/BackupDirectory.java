package dev.holdfast.backup;

import dev.holdfast.backup.BackupManifest.Entry;
import dev.holdfast.errors.BackupException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.disk.StoredName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The target of a backup: the files of the last complete backup with its manifest, and in {@code
 * backup.new/} those of the one that is being made.
 *
 * <p>A new backup is staged until all of its files are durable. Its manifest, {@code
 * backup.new/manifest}, is the moment at which it replaces the earlier one: from then on its files
 * are moved to their places, by whichever process comes next. So a kill at any moment leaves the
 * earlier backup or the new one.
 *
 * <p>Confined to one thread.
 */
public final class BackupDirectory {

  private static final String STAGING = "backup.new";
  private static final String LOCK = "LOCK";

  private final Disk disk;
  private final Path directory;
  private final Path manifest;
  private final Path staging;
  private final Path nextManifest;

  /**
   * Creates it; touches no file.
   *
   * @param disk where the directory is
   * @param directory the target
   */
  public BackupDirectory(Disk disk, Path directory) {
    this.disk = disk;
    this.directory = directory;
    this.manifest = directory.resolve(BackupManifest.NAME);
    this.staging = directory.resolve(STAGING);
    this.nextManifest = staging.resolve("manifest");
  }

  /**
   * Refuses a target in the data directory, or above it.
   *
   * @param data the data directory
   * @param target the target
   * @throws BackupException if it is one
   */
  public static void requireApart(Path data, Path target) {
    if (target.startsWith(data) || data.startsWith(target)) {
      throw new BackupException(
          target,
          "The target is the data directory, is in it or has it; nothing was changed. Name a"
              + " directory outside of it, best on another disk",
          null);
    }
  }

  /** {@return the exception for a backup that failed} */
  static BackupException failure(Path target, @Nullable Throwable cause) {
    return new BackupException(
        target,
        "The backup was not made. The data directory is unchanged; the target has its earlier"
            + " backup, if it had one. Repair the cause and make the backup again; it continues",
        cause);
  }

  /** Keeps backups from moving files into a directory that is read. */
  public interface Reading extends AutoCloseable {

    /** Ends it. */
    @Override
    void close();
  }

  /**
   * Prepares a directory that is about to be opened as a data directory, as {@link #read} does. A
   * backup that was never opened must have no symbolic link: what is written would go where it
   * leads.
   *
   * @throws DataDirectoryException if the backup is incomplete, cannot be completed, is being made,
   *     or has a symbolic link
   */
  public void completeOrRefuse() {
    read().close();
    if (disk.exists(manifest) && !disk.exists(directory.resolve(LOCK))) {
      try {
        requireNoLinkBelow(directory);
      } catch (IOException e) {
        throw notUsable(e);
      }
    }
  }

  /**
   * Prepares a directory that is about to be read: completes a backup that was interrupted after
   * all of its files were durable, so that every reader finds the same files in the same places.
   * Does nothing in a directory without a backup, and changes nothing in one whose backup is in its
   * place.
   *
   * @return keeps backups away from the directory until it is closed
   * @throws DataDirectoryException if the backup is incomplete, cannot be completed, or is being
   *     made
   */
  public Reading read() {
    try {
      requireNoLinks();
      while (true) {
        complete();
        Reading reading = lockIfThere();
        boolean isReadable = false;
        try {
          if (!disk.exists(nextManifest)) { // else another backup was killed in between
            requireEarlier();
            isReadable = true;
            return reading;
          }
        } finally {
          if (!isReadable) {
            reading.close();
          }
        }
      }
    } catch (IOException e) {
      throw notUsable(e);
    }
  }

  private void requireNoLinkBelow(Path path) throws IOException {
    for (Path each : disk.list(path)) {
      StoredName.requireNoLink(each);
      if (Files.isDirectory(each)) {
        requireNoLinkBelow(each);
      }
    }
  }

  private DataDirectoryException notUsable(Exception e) {
    return new DataDirectoryException(
        directory,
        "The backup in the directory cannot be used as it is: "
            + e.getMessage()
            + ". If the directory cannot be written, copy it to a place that can be",
        e);
  }

  /** Others may have made what is there. */
  private void requireNoLinks() throws IOException {
    for (Path each : List.of(staging, manifest, nextManifest, directory.resolve(TargetLock.NAME))) {
      StoredName.requireNoLink(each);
    }
    StoredName.requireNoLink(staging.resolve("files"));
    StoredName.requireNoLink(staging.resolve("log"));
  }

  private void complete() throws IOException {
    if (!disk.exists(nextManifest)) {
      return;
    }
    try (TargetLock lock = TargetLock.acquire(disk, directory)) {
      if (lock == null) {
        throw inUse();
      }
      BackupManifest next = BackupManifest.read(disk, nextManifest);
      if (next != null) {
        replaceBy(next);
      }
    }
  }

  private void end(TargetLock lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The lock of the backup cannot be closed", e);
    }
  }

  private DataDirectoryException inUse() {
    return new DataDirectoryException(
        directory,
        "A backup into the directory is being made; open it when that has ended, or open a copy;"
            + " nothing was changed",
        null);
  }

  private Reading lockIfThere() throws IOException {
    if (!disk.exists(directory.resolve(TargetLock.NAME))) {
      return () -> {};
    }
    TargetLock lock = TargetLock.share(directory);
    if (lock == null) {
      throw inUse();
    }
    return () -> end(lock);
  }

  private void requireEarlier() {
    boolean isTarget = disk.exists(staging) || disk.exists(directory.resolve(TargetLock.NAME));
    if (isTarget && !disk.exists(manifest) && !disk.exists(directory.resolve(LOCK))) {
      throw new DataDirectoryException(
          directory,
          "The directory has an incomplete backup. Make the backup again, with the same target;"
              + " nothing was changed",
          null);
    }
  }

  /**
   * Locks the directory for a backup: creates it if it is missing.
   *
   * @return the lock, held until the backup ends
   * @throws BackupException if the directory is not a target, or another backup uses it
   */
  TargetLock lock() throws IOException {
    disk.ensureDirectory(directory);
    requireNoLinks();
    requireTarget(); // before a file is created in it
    TargetLock lock = TargetLock.acquire(disk, directory);
    if (lock == null) {
      throw new BackupException(
          directory,
          "Another backup into the target is being made, or the target is being read; nothing was"
              + " changed. Repeat this one when that has ended, or name another directory",
          null);
    }
    return lock;
  }

  private void requireTarget() throws IOException {
    if (disk.exists(directory.resolve(LOCK))) {
      throw refusal("was opened as a data directory, or is one");
    }
    if (!disk.exists(manifest) && !disk.exists(nextManifest)) {
      for (Path found : disk.list(directory)) {
        if (!found.equals(staging) && !found.endsWith(TargetLock.NAME)) {
          throw refusal("is not empty and has no backup");
        }
      }
    }
  }

  /**
   * Prepares the directory for a backup that has its lock: completes what an earlier one has left.
   *
   * @param journalId the journal that will be copied
   * @return the manifest of the earlier backup; null if there is none
   * @throws BackupException if the directory is not the target of this journal
   */
  @Nullable BackupManifest prepare(long journalId) throws IOException {
    requireTarget();
    BackupManifest next = BackupManifest.read(disk, nextManifest);
    if (next != null) {
      requireSame(journalId, next);
      replaceBy(next);
    }
    BackupManifest known = BackupManifest.read(disk, manifest);
    if (known != null) {
      requireSame(journalId, known);
    }
    return known;
  }

  private void requireSame(long journalId, BackupManifest found) {
    if (found.journalId() != journalId) {
      throw refusal("has a backup of another data directory");
    }
  }

  private BackupException refusal(String why) {
    return new BackupException(
        directory, "The target " + why + "; nothing was changed. Name an empty directory", null);
  }

  /** {@return the files of the next backup} */
  StagedFiles staged() {
    return new StagedFiles(disk, staging);
  }

  /** {@return whether the earlier backup still has a file} */
  boolean has(String name, Entry entry) throws IOException {
    return FileTree.sizeOf(disk, fileOf(name)) == entry.bytes();
  }

  /** {@return the path of a file in its place} */
  Path fileOf(String name) throws IOException {
    return StoredName.resolve(directory, name);
  }

  /** Makes the staged files and the kept ones the backup. */
  void complete(BackupManifest next, StagedFiles staged) throws IOException {
    staged.forceAll();
    staged.close();
    requireTarget(); // a runtime may have opened the earlier backup meanwhile
    Path unfinished = staging.resolve("manifest.new");
    disk.delete(unfinished);
    StagedFiles.write(disk, unfinished, next.encode());
    disk.move(unfinished, nextManifest);
    disk.forceDirectory(staging);
    disk.forceDirectory(directory);
    replaceBy(next);
  }

  /** Idempotent: a file that is not staged any more is in its place. */
  private void replaceBy(BackupManifest next) throws IOException {
    BackupManifest before = BackupManifest.read(disk, manifest);
    Set<Path> changed = new HashSet<>();
    StagedFiles staged = staged();
    for (String name : next.files().keySet()) {
      Path from = staged.fileOf(name);
      if (disk.exists(from)) {
        Path to = fileOf(name);
        FileTree.ensureParent(disk, to);
        disk.move(from, to);
        changed.add(to);
      }
    }
    if (before != null) {
      for (String name : before.files().keySet()) {
        if (!next.files().containsKey(name)) {
          Path gone = fileOf(name);
          disk.delete(gone);
          changed.add(gone);
        }
      }
    }
    FileTree.forceNames(disk, changed, directory);
    disk.move(nextManifest, manifest);
    disk.forceDirectory(staging);
    disk.forceDirectory(directory);
    // A manifest that came back after a power cut would find no file to move.
    FileTree.delete(disk, staging);
    disk.forceDirectory(directory);
  }
}
