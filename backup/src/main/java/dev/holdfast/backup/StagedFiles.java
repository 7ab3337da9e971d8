package dev.holdfast.backup;

import dev.holdfast.backup.BackupManifest.Entry;
import dev.holdfast.backup.BackupManifest.Named;
import dev.holdfast.spi.backup.BackupTarget.Source;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.disk.StoredName;
import dev.holdfast.spi.disk.Syncs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of a backup that is being made, beside those of the backup before. Each is durable
 * before the log names it, so a backup that was killed is continued.
 *
 * <p>Confined to one thread.
 */
final class StagedFiles implements AutoCloseable {

  /** Open files that wait for their sync; a kill loses the copies of these. */
  private static final int UNSYNCED_MAX = 64;

  private final Disk disk;
  private final Path files;
  private final Path log;
  private final Map<String, Entry> entries = new HashMap<>();
  private final Map<String, Unsynced> unsynced = new LinkedHashMap<>();

  private @Nullable DiskFile open;
  private long logBytes;

  /**
   * A copy that is not durable yet.
   *
   * @param file the copy
   * @param entry its line in the log
   */
  private record Unsynced(DiskFile file, Entry entry) implements Syncs.Sync {

    @Override
    public void run() throws IOException {
      try (file) {
        file.force();
      }
    }
  }

  /** Creates it; touches no file. */
  StagedFiles(Disk disk, Path directory) {
    this.disk = disk;
    this.files = directory.resolve("files");
    this.log = directory.resolve("log");
  }

  /** Reads what an interrupted backup has left, and opens the log. */
  void open() throws IOException {
    disk.ensureDirectory(files);
    if (disk.exists(log)) {
      String text = new String(BackupManifest.readAll(disk, log), StandardCharsets.UTF_8);
      text.lines().forEach(this::readLine);
    }
    DiskFile opened = disk.open(log, Mode.CREATE);
    open = opened;
    logBytes = opened.size();
    // A line may have been cut; the next one begins a line of its own.
    append("\n");
  }

  /** Ignores a line that is not whole: its file is copied again. */
  private void readLine(String line) {
    int space = line.indexOf(' ');
    if (space < 0) {
      return;
    }
    String rest = line.substring(space + 1);
    Named named = Named.parse(rest);
    if (named != null && line.substring(0, space).equals(BackupManifest.sumOf(rest))) {
      entries.put(named.name(), named.entry());
    }
  }

  private void append(String text) throws IOException {
    DiskFile opened = open;
    if (opened == null) {
      throw new IllegalStateException("The log of the backup is not open.");
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    opened.write(bytes, 0, bytes.length, logBytes);
    logBytes += bytes.length;
  }

  /** {@return the path of a file that is not yet in its place} */
  Path fileOf(String name) throws IOException {
    return StoredName.resolve(files, name);
  }

  /** {@return a file in a version; null if it is not there} */
  @Nullable Entry find(String name, String version) throws IOException {
    Entry entry = entries.get(name);
    return entry != null
            && version.equals(entry.version())
            && FileTree.sizeOf(disk, fileOf(name)) == entry.bytes()
        ? entry
        : null;
  }

  /** {@return a file that has the bytes of another one; null if it is not there} */
  @Nullable Entry findSame(String name, Path source) throws IOException {
    Entry entry = entries.get(name);
    return entry != null
            && FileTree.sizeOf(disk, fileOf(name)) == entry.bytes()
            && isSame(fileOf(name), source, entry)
        ? entry
        : null;
  }

  /** {@return whether a file has the bytes of another one, and those of its line} */
  boolean isSame(Path file, Path source, Entry entry) throws IOException {
    return Files.mismatch(file, source) < 0 && FileSum.of(disk, file).equals(entry.sum());
  }

  /** Deletes a file, if it is there. */
  void drop(String name) throws IOException {
    if (unsynced.containsKey(name)) {
      sync();
    }
    entries.remove(name);
    disk.delete(fileOf(name));
  }

  /** Copies a file; durable after {@link #sync}. */
  Entry copy(Source source) throws IOException {
    Path to = prepare(source.name());
    if (source.link(to)) { // to a file that is durable already
      FileSum sum = FileSum.of(disk, source.file());
      return add(source.name(), Entry.of(sum, source.version().get()));
    }
    DiskFile copy = disk.open(to, Mode.CREATE);
    boolean isCopied = false;
    try {
      FileSum sum = source.copy(disk, copy);
      Entry entry = Entry.of(sum, source.version().get());
      entries.put(source.name(), entry);
      unsynced.put(source.name(), new Unsynced(copy, entry));
      isCopied = true;
      if (unsynced.size() == UNSYNCED_MAX) {
        sync();
      }
      return entry;
    } finally {
      if (!isCopied) {
        copy.close();
      }
    }
  }

  /** Makes all copies durable, and names them in the log. */
  private void sync() throws IOException {
    if (unsynced.isEmpty()) {
      return;
    }
    Map<String, Unsynced> copies = new LinkedHashMap<>(unsynced);
    unsynced.clear();
    Syncs.all(copies.values());
    for (Map.Entry<String, Unsynced> each : copies.entrySet()) {
      add(each.getKey(), each.getValue().entry());
    }
  }

  /** Writes a file, durably. */
  Entry write(String name, byte[] content) throws IOException {
    write(disk, prepare(name), content);
    return add(name, Entry.of(FileSum.of(content), null));
  }

  /** Writes a file that does not exist, durably. */
  static void write(Disk disk, Path file, byte[] content) throws IOException {
    try (DiskFile created = disk.open(file, Mode.CREATE)) {
      created.write(content, 0, content.length, 0);
      created.force();
    }
  }

  private Path prepare(String name) throws IOException {
    if (unsynced.containsKey(name)) {
      sync();
    }
    return FileTree.clear(disk, fileOf(name));
  }

  private Entry add(String name, Entry entry) throws IOException {
    entries.put(name, entry);
    if (entry.version() != null) {
      String line = entry.line(name);
      append(BackupManifest.sumOf(line) + " " + line + "\n");
    }
    return entry;
  }

  /** Makes the files and their names durable. */
  void forceAll() throws IOException {
    sync();
    FileTree.forceTree(disk, files);
  }

  @Override
  public void close() throws IOException {
    DiskFile opened = open;
    if (opened == null) {
      return;
    }
    try (opened) {
      sync(); // what was copied before a failure is kept by the next backup
    } finally {
      open = null;
    }
  }
}
