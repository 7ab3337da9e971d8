package dev.holdfast.embedded.files;

import static dev.holdfast.embedded.Scripted.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.recovery.Backup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of directories that no runtime has open. */
class StoppedBackupTest {

  @TempDir private Path directory;

  private Path data;
  private Path target;

  @BeforeEach
  void nameDirectories() {
    data = directory.resolve("data");
    target = directory.resolve("target");
  }

  private static ObjectRuntime open(Path data) {
    return Holdfast.open(
        data,
        objects ->
            objects
                .namespace("sql", Scripted.class, Scripted::of)
                .namespace(
                    "kv",
                    Scripted.class,
                    Scripted::of,
                    NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  private static void put(ObjectRuntime runtime, String namespace, String value) {
    in(
        runtime.namespace(namespace, Scripted.class).getByName("object"),
        context -> {
          context.storage().put("key", value);
          return "";
        });
  }

  private static String get(ObjectRuntime runtime, String namespace) {
    return in(
        runtime.namespace(namespace, Scripted.class).getByName("object"),
        context -> context.storage().get("key", String.class).orElse("nothing"));
  }

  /** {@return the content and the time of each file and directory} */
  private static Map<String, String> state(Path root) throws IOException {
    Map<String, String> state = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.toList()) {
        String content =
            Files.isRegularFile(path) ? "" + Arrays.hashCode(Files.readAllBytes(path)) : "";
        state.put(
            root.relativize(path).toString(), content + " " + Files.getLastModifiedTime(path));
      }
    }
    return state;
  }

  private void assertBackedUp(long position) {
    try (ObjectRuntime runtime = open(target)) {
      assertThat(runtime.statistics().journal().durablePosition()).isGreaterThanOrEqualTo(position);
      assertThat(get(runtime, "sql")).isEqualTo("second");
      assertThat(get(runtime, "kv")).isEqualTo("second");
    }
  }

  @Test
  void backupOfAClosedDirectoryChangesNothingInIt() throws IOException {
    try (ObjectRuntime runtime = open(data)) {
      put(runtime, "sql", "first");
      put(runtime, "kv", "first");
    }
    Holdfast.backup(data, target);
    try (ObjectRuntime runtime = open(data)) {
      put(runtime, "sql", "second");
      put(runtime, "kv", "second");
    }
    Map<String, String> before = state(data);

    Backup backup = Holdfast.backup(data, target);

    assertThat(state(data)).isEqualTo(before);
    assertBackedUp(backup.position());
  }

  @Test
  void backupOfAKilledDirectoryIsWhatItWouldOpenWith() throws IOException {
    Path killed = directory.resolve("killed");
    try (ObjectRuntime runtime = open(data)) {
      put(runtime, "sql", "first");
      put(runtime, "kv", "first");
      put(runtime, "sql", "second");
      put(runtime, "kv", "second");
      CopyAtRest.of(data, killed);
    }
    Map<String, String> before = state(killed);

    Backup backup = Holdfast.backup(killed, target);

    assertThat(state(killed)).isEqualTo(before);
    assertBackedUp(backup.position());
  }

  @Test
  void directoryInUseAndDirectoryWithoutJournalAreRefused() throws IOException {
    try (ObjectRuntime runtime = open(data)) {
      put(runtime, "sql", "first");
      assertThatThrownBy(() -> Holdfast.backup(data, target))
          .isInstanceOf(DirectoryInUseException.class);
    }
    assertThatThrownBy(
            () -> Holdfast.backup(Files.createDirectory(directory.resolve("empty")), target))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("has no journal");
    assertThat(target).doesNotExist();
  }
}
