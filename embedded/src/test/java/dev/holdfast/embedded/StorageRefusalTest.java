package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.NamespaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Storage that has changed is refused, and does not appear as empty. */
class StorageRefusalTest {

  @TempDir private Path directory;

  private ObjectRuntime open(StorageKind storage) {
    return Runtimes.open(
        directory.resolve("data"),
        objects ->
            objects.namespace(
                "things",
                Scripted.class,
                Scripted::of,
                NamespaceOptions.DEFAULT.withStorage(storage)));
  }

  private static void put(ObjectRuntime runtime, String value) {
    Scripted.in(
        runtime.namespace("things", Scripted.class).getByName("a"),
        context -> {
          context.storage().put("key", value);
          return "";
        });
  }

  private static String get(ObjectRuntime runtime) {
    return Scripted.in(
        runtime.namespace("things", Scripted.class).getByName("a"),
        context -> context.storage().get("key", String.class).orElse("none"));
  }

  private static void write(ObjectRuntime opened, String value) {
    try (opened) {
      put(opened, value);
    }
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path source : (Iterable<Path>) paths::iterator) {
        Path target = to.resolve(from.relativize(source).toString());
        if (Files.isDirectory(source)) {
          Files.createDirectories(target);
        } else {
          Files.copy(source, target);
        }
      }
    }
  }

  @Test
  void rocksDbThatWasRemovedIsMadeAgainFromAJournalThatHasItAll() throws IOException {
    write(open(StorageKind.ROCKSDB), "first");
    delete(directory.resolve("data/rocksdb"));

    try (ObjectRuntime runtime = open(StorageKind.ROCKSDB)) {
      assertThat(get(runtime)).isEqualTo("first");
    }
  }

  @Test
  void olderCopyOfRocksDbIsBroughtUpToDateFromAJournalThatHasItAll() throws IOException {
    write(open(StorageKind.ROCKSDB), "first");
    Path rocks = directory.resolve("data/rocksdb");
    Path mark = directory.resolve("data/rocksdb.flushed");
    copy(rocks, directory.resolve("copy"));
    Files.copy(mark, directory.resolve("copy.flushed"));
    write(open(StorageKind.ROCKSDB), "second");
    delete(rocks);
    copy(directory.resolve("copy"), rocks);
    Files.copy(directory.resolve("copy.flushed"), mark, StandardCopyOption.REPLACE_EXISTING);

    try (ObjectRuntime runtime = open(StorageKind.ROCKSDB)) {
      assertThat(get(runtime)).isEqualTo("second");
    }
  }

  @Test
  void namespaceThatAsksForAnotherStorageIsRefused() {
    write(open(StorageKind.SQLITE), "first");

    assertThatThrownBy(() -> open(StorageKind.ROCKSDB))
        .isInstanceOf(NamespaceException.class)
        .hasMessageContaining("has objects in SQLITE");

    try (ObjectRuntime runtime = open(StorageKind.SQLITE)) {
      assertThat(get(runtime)).isEqualTo("first");
    }
  }
}
