package dev.holdfast.system.recovery;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Data directories as they are kept in this repository. Stateless. */
final class GoldenZip {

  private GoldenZip() {}

  static void pack(Path data, Path zip) throws IOException {
    try (OutputStream out = Files.newOutputStream(zip);
        ZipOutputStream target = new ZipOutputStream(out);
        Stream<Path> files = Files.walk(data)) {
      // RocksDB's messages and options name the directory, and are not needed.
      for (Path file :
          files
              .filter(Files::isRegularFile)
              .filter(each -> !each.getFileName().toString().matches("(LOG|OPTIONS).*"))
              .sorted()
              .toList()) {
        target.putNextEntry(new ZipEntry(data.relativize(file).toString()));
        Files.copy(file, target);
        target.closeEntry();
      }
    }
  }

  static void unpack(InputStream zip, Path data) throws IOException {
    try (ZipInputStream source = new ZipInputStream(zip)) {
      for (ZipEntry entry = source.getNextEntry(); entry != null; entry = source.getNextEntry()) {
        Path file = data.resolve(entry.getName());
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.copy(source, file);
      }
    }
  }
}
