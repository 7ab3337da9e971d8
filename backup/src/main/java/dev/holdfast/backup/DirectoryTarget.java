package dev.holdfast.backup;

import dev.holdfast.backup.BackupManifest.Entry;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.backup.BackupTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One backup into a directory. Confined to one thread. */
final class DirectoryTarget implements BackupTarget, AutoCloseable {

  private final BackupDirectory directory;
  private final Runnable requireOpen;
  private final StagedFiles staged;
  private final TreeMap<String, Entry> files = new TreeMap<>();

  private @Nullable TargetLock lock;
  private @Nullable BackupManifest before;
  private final Set<String> kept = new HashSet<>();
  private long bytes;

  /**
   * @param requireOpen called before each file; throws if the backup is to end
   */
  DirectoryTarget(BackupDirectory directory, Runnable requireOpen) {
    this.directory = directory;
    this.requireOpen = requireOpen;
    this.staged = directory.staged();
  }

  /** Locks and prepares the directory. */
  void open(long journalId) throws IOException {
    requireOpen.run();
    lock = directory.lock();
    before = directory.prepare(journalId);
    staged.open();
  }

  @Override
  public boolean keep(String name, String version) throws IOException {
    requireOpen.run();
    Entry entry = find(name, version);
    if (entry == null) {
      return false;
    }
    keep(name, entry);
    return true;
  }

  /**
   * Makes a file that the target already has a part of this backup, whatever its version: if it has
   * the bytes of another file, which does not change meanwhile.
   *
   * @return whether it has; if not, the file must be put
   */
  boolean keepSame(String name, Path source) throws IOException {
    requireOpen.run();
    Entry entry = staged.findSame(name, source);
    if (entry == null && before != null) {
      Entry earlier = before.files().get(name);
      if (earlier != null
          && directory.has(name, earlier)
          && staged.isSame(directory.fileOf(name), source, earlier)) {
        staged.drop(name); // of an interrupted backup: it would take the place of the kept file
        entry = earlier;
      }
    }
    if (entry != null) {
      keep(name, entry);
    }
    return entry != null;
  }

  private void keep(String name, Entry entry) {
    add(name, entry);
    kept.add(name);
  }

  private void add(String name, Entry entry) {
    Entry replaced = files.put(name, entry);
    bytes += entry.bytes() - (replaced == null ? 0 : replaced.bytes());
  }

  /** {@return the size of the files that this backup has so far} */
  long bytes() {
    return bytes;
  }

  private @Nullable Entry find(String name, String version) throws IOException {
    Entry entry = staged.find(name, version);
    if (entry != null || before == null) {
      return entry;
    }
    Entry earlier = before.files().get(name);
    if (earlier == null || !version.equals(earlier.version()) || !directory.has(name, earlier)) {
      return null;
    }
    staged.drop(name); // of an interrupted backup: it would take the place of the kept file
    return earlier;
  }

  @Override
  public void put(Source source) throws IOException {
    requireOpen.run();
    kept.remove(source.name());
    add(source.name(), staged.copy(source));
  }

  @Override
  public void put(String name, byte[] content) throws IOException {
    requireOpen.run();
    add(name, staged.write(name, content));
  }

  /** Makes the files of this backup, and no others, the content of the directory. */
  Backup complete(Path path, DirectoryImage.Copied copied) throws IOException {
    requireOpen.run();
    directory.complete(
        new BackupManifest(copied.journalId(), copied.position(), copied.time(), files), staged);
    long bytesKept = 0;
    for (Map.Entry<String, Entry> each : files.entrySet()) {
      bytesKept += kept.contains(each.getKey()) ? each.getValue().bytes() : 0;
    }
    return new Backup(
        path, copied.position(), copied.time(), files.size(), bytes - bytesKept, bytesKept);
  }

  @Override
  public void close() throws IOException {
    TargetLock held = lock;
    lock = null;
    try {
      staged.close();
    } finally {
      if (held != null) {
        held.close();
      }
    }
  }
}
