package dev.holdfast.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Copies and compares directories of a few small files. */
final class Directories {

  private Directories() {}

  /** {@return the content of all files, by name} */
  static Map<String, byte[]> read(Path directory) {
    return read(directory, "");
  }

  /** {@return the content of the files with a name suffix, by name} */
  static Map<String, byte[]> read(Path directory, String suffix) {
    Map<String, byte[]> contents = new TreeMap<>();
    for (Path file : list(directory, suffix)) {
      try {
        contents.put(file.getFileName().toString(), Files.readAllBytes(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return contents;
  }

  /** Writes files to a directory, which is created if missing. */
  static Path write(Path directory, Map<String, byte[]> contents) {
    try {
      Files.createDirectories(directory);
      for (Map.Entry<String, byte[]> entry : contents.entrySet()) {
        Files.write(directory.resolve(entry.getKey()), entry.getValue());
      }
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Path> list(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return the files with a name suffix, in order} */
  static List<Path> list(Path directory, String suffix) {
    return list(directory).stream().filter(file -> file.toString().endsWith(suffix)).toList();
  }
}
