package dev.holdfast.backup;

import dev.holdfast.errors.BackupException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.spi.disk.StoredName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The list of the files of a backup; {@code docs/formats/backup.md} has the layout. A directory
 * with a manifest is a complete backup. Immutable.
 *
 * @param journalId the id of the journal that was copied
 * @param position the last position that the backup has
 * @param time when the position was determined
 * @param files the files by name
 */
public record BackupManifest(
    long journalId, long position, Instant time, NavigableMap<String, Entry> files) {

  /** The name of the manifest in a backup. */
  public static final String NAME = "backup.manifest";

  private static final String FIRST_LINE = "holdfast-backup 1";
  private static final String FAMILY = "holdfast-backup ";
  private static final String NO_VERSION = "-";

  /**
   * A file of a backup.
   *
   * @param bytes its size
   * @param checksum its CRC-32C
   * @param version a text that differs whenever the content does, or {@value
   *     StoppedBackup#COMPARED}; null if a later backup of a directory in use must not keep the
   *     file
   */
  public record Entry(long bytes, int checksum, @Nullable String version) {

    static Entry of(FileSum sum, @Nullable String version) {
      return new Entry(sum.bytes(), sum.checksum(), version);
    }

    /** {@return what the file has, if it is whole} */
    public FileSum sum() {
      return new FileSum(bytes, checksum);
    }

    /** {@return the line of this file} */
    String line(String name) {
      return String.format(
          "file %d %08x %s %s", bytes, checksum, version == null ? NO_VERSION : version, name);
    }
  }

  /** The name of a file with its entry. */
  record Named(String name, Entry entry) {

    /** {@return what a line says; null if it is not the line of a file} */
    static @Nullable Named parse(String line) {
      String[] parts = line.split(" ", 5);
      if (parts.length < 5 || !parts[0].equals("file")) {
        return null;
      }
      try {
        String version = parts[3].equals(NO_VERSION) ? null : parts[3];
        return new Named(
            parts[4],
            new Entry(Long.parseLong(parts[1]), Integer.parseUnsignedInt(parts[2], 16), version));
      } catch (NumberFormatException e) {
        return null;
      }
    }
  }

  /** Copies the map. */
  public BackupManifest {
    files = Collections.unmodifiableNavigableMap(new TreeMap<>(files));
  }

  /**
   * Reads the manifest of a backup.
   *
   * @param disk where it is
   * @param file the manifest
   * @return its content; null if there is no such file
   * @throws BackupException if it is damaged, of a newer version or cannot be read
   */
  public static @Nullable BackupManifest read(Disk disk, Path file) {
    if (!disk.exists(file)) {
      return null;
    }
    try {
      return parse(file, readAll(disk, file));
    } catch (IOException e) {
      throw new BackupException(file, "The manifest of the backup cannot be read", e);
    }
  }

  static byte[] readAll(Disk disk, Path file) throws IOException {
    try (DiskFile open = disk.open(file, Mode.READ)) {
      if (open.size() > Integer.MAX_VALUE - 8 || !isBegun(open)) {
        throw new IOException(file + " has " + open.size() + " bytes and is not a list of files");
      }
      byte[] content = new byte[(int) open.size()];
      if (open.read(content, 0, content.length, 0) != content.length) {
        throw new IOException(file + " became shorter while it was read");
      }
      return content;
    }
  }

  /** {@return whether a file does not begin with zeros, as a long one without content does} */
  private static boolean isBegun(DiskFile open) throws IOException {
    byte[] first = new byte[1];
    return open.read(first, 0, 1, 0) < 1 || first[0] != 0;
  }

  private static BackupManifest parse(Path file, byte[] content) {
    String text = new String(content, StandardCharsets.UTF_8);
    List<String> lines = text.lines().toList();
    int last = text.lastIndexOf("end ");
    if (last < 0 || !text.endsWith(" " + sumOf(text.substring(0, last)) + "\n")) {
      throw damaged(file, null);
    }
    if (lines.getFirst().startsWith(FAMILY) && !lines.getFirst().equals(FIRST_LINE)) {
      throw new BackupException(
          file, "The backup was written by a newer version of Holdfast; use that version", null);
    }
    TreeMap<String, Entry> files = new TreeMap<>();
    for (String line : lines) {
      Named named = Named.parse(line);
      if (named != null) {
        if (!StoredName.isOfData(named.name())) {
          throw new BackupException(
              file,
              "The manifest names a file that no backup has, so Holdfast has not written it. Do not"
                  + " use this backup; make one into another directory",
              null);
        }
        files.put(named.name(), named.entry());
      }
    }
    if (!Arrays.equals(content, endOf(text.substring(0, last), files.size()))) {
      throw damaged(file, null);
    }
    try {
      return new BackupManifest(
          Long.parseUnsignedLong(value(lines.get(1), "journal "), 16),
          Long.parseLong(value(lines.get(2), "position ")),
          Instant.parse(value(lines.get(3), "time ")),
          files);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw damaged(file, e);
    }
  }

  private static String value(String line, String name) {
    if (!line.startsWith(name)) {
      throw new IllegalArgumentException("\"" + line + "\" does not begin with " + name);
    }
    return line.substring(name.length());
  }

  private static BackupException damaged(Path file, @Nullable Throwable cause) {
    return new BackupException(
        file,
        "The manifest is damaged, and what the backup should have is not known. Make a backup into"
            + " another directory",
        cause);
  }

  /** {@return the content of the file} */
  byte[] encode() {
    List<String> lines = new ArrayList<>();
    lines.add(FIRST_LINE);
    lines.add(String.format("journal %016x", journalId));
    lines.add("position " + position);
    lines.add("time " + time);
    files.forEach((name, entry) -> lines.add(entry.line(name)));
    String text = String.join("\n", lines) + "\n";
    return endOf(text, files.size());
  }

  private static byte[] endOf(String text, int count) {
    return (text + "end " + count + " " + sumOf(text) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** {@return the checksum of a text, 8 hex digits} */
  static String sumOf(String text) {
    return String.format("%08x", FileSum.of(text.getBytes(StandardCharsets.UTF_8)).checksum());
  }
}
