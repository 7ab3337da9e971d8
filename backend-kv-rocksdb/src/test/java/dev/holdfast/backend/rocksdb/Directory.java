package dev.holdfast.backend.rocksdb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files of a directory, as bytes. */
final class Directory {

  private Directory() {}

  /** Returns the content of all files but those that any opening writes. */
  static Map<String, byte[]> read(Path directory) {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> found = Files.list(directory)) {
      for (Path file : found.toList()) {
        String name = file.getFileName().toString();
        if (!name.startsWith("LOG") && !name.equals("LOCK")) {
          files.put(name, Files.readAllBytes(file));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /** Makes a directory have these files and no others. */
  static void write(Path directory, Map<String, byte[]> files) {
    try {
      Files.createDirectories(directory);
      delete(directory);
      Files.createDirectories(directory);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Files.write(directory.resolve(file.getKey()), file.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes a directory without directories. */
  static void delete(Path directory) {
    try (Stream<Path> found = Files.list(directory)) {
      for (Path file : found.toList()) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
