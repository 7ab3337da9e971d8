package dev.holdfast.ledger.demo;

import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directory of a demo: the ledger's own directory, and the sample if it is used.
 *
 * @param root the directory that the user has named
 */
record DemoDirectory(Path root) {

  /** Marks a directory as created by a demo, so that the next one may empty it. */
  private static final String MARKER = "holdfast-demo";

  /**
   * Creates the directory, or empties the directory of an earlier demo.
   *
   * @param root a directory that is missing, empty or was created by a demo
   * @return the empty directory
   * @throws WrongInputException if it has any other content, which is left unchanged
   */
  static DemoDirectory prepare(Path root) {
    try {
      if (Files.exists(root) && !Files.isDirectory(root)) {
        throw new WrongInputException(
            root + " is not a directory; choose another one with --data.");
      }
      Files.createDirectories(root);
      List<Path> entries = entries(root);
      if (!entries.isEmpty() && !Files.exists(root.resolve(MARKER))) {
        throw new WrongInputException(
            root + " holds files that are not of a demo; choose another one with --data.");
      }
      DemoDirectory directory = new DemoDirectory(root.toRealPath());
      directory.delete();
      Files.writeString(directory.root.resolve(MARKER), "Made by the Holdfast demo.\n");
      return directory;
    } catch (IOException e) {
      throw new WrongInputException("Cannot use the directory " + root + ": " + e);
    }
  }

  Path ledger() {
    return root.resolve("ledger");
  }

  /** {@return the sample, written to this directory} */
  TransferFile sample() {
    try {
      SampleTransfers.write(samplePath());
      return TransferFile.read(samplePath());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path samplePath() {
    return root.resolve("transfers.csv");
  }

  long sizeBytes() {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Deletes only the files of a demo: the marker does not permit deleting files that a user has put
   * beside it.
   */
  private void delete() throws IOException {
    Files.deleteIfExists(samplePath());
    if (Files.exists(ledger())) {
      try (Stream<Path> files = Files.walk(ledger())) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static List<Path> entries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    }
  }
}
