package dev.holdfast.embedded.files;

import static dev.holdfast.embedded.Scripted.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.errors.BackupException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.recovery.Backup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a runtime with both storage engines, through the public API. */
class BackupTest {

  private static final int SQLITE_OBJECTS = 12;

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

  private static Scripted object(ObjectRuntime runtime, String namespace, String name) {
    return runtime.namespace(namespace, Scripted.class).getByName(name);
  }

  private static void put(ObjectRuntime runtime, String namespace, String name, String value) {
    in(
        object(runtime, namespace, name),
        context -> {
          context.storage().put("key", value);
          return "";
        });
  }

  private static String get(ObjectRuntime runtime, String namespace, String name) {
    return in(
        object(runtime, namespace, name),
        context -> context.storage().get("key", String.class).orElse("nothing"));
  }

  private static void fill(ObjectRuntime runtime) {
    for (int i = 0; i < SQLITE_OBJECTS; i++) {
      put(runtime, "sql", "object-" + i, "sql-" + i);
    }
    put(runtime, "kv", "object", "kv");
  }

  private static void assertFilled(ObjectRuntime runtime) {
    for (int i = 0; i < SQLITE_OBJECTS; i++) {
      assertThat(get(runtime, "sql", "object-" + i)).isEqualTo("sql-" + i);
    }
    assertThat(get(runtime, "kv", "object")).isEqualTo("kv");
    assertThat(runtime.namespace("sql", Scripted.class).list(ObjectListOptions.ALL).items())
        .hasSize(SQLITE_OBJECTS);
  }

  private static List<Path> files(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void backupOpensLikeADataDirectory() {
    try (ObjectRuntime runtime = open(data)) {
      fill(runtime);

      Backup backup = runtime.backup(target);

      put(runtime, "sql", "object-0", "later");
      assertThat(backup.directory()).isEqualTo(target);
      assertThat(backup.position()).isPositive();
      assertThat(backup.bytesKept()).isZero();
    }
    try (ObjectRuntime runtime = open(target)) {
      assertFilled(runtime);
    }
  }

  @Test
  void secondBackupKeepsWhatHasNotChanged() throws IOException {
    try (ObjectRuntime runtime = open(data)) {
      fill(runtime);
    }
    try (ObjectRuntime runtime = open(data)) {
      put(runtime, "sql", "object-0", "first");
      runtime.backup(target);
      put(runtime, "sql", "object-1", "second");

      Backup backup = runtime.backup(target);

      assertThat(backup.bytesKept()).isGreaterThan((SQLITE_OBJECTS - 3) * 4096L);
      assertThat(files(target)).hasSize((int) backup.files() + 2);
    }
    try (ObjectRuntime runtime = open(target)) {
      assertThat(get(runtime, "sql", "object-0")).isEqualTo("first");
      assertThat(get(runtime, "sql", "object-1")).isEqualTo("second");
      assertThat(get(runtime, "sql", "object-2")).isEqualTo("sql-2");
      assertThat(get(runtime, "kv", "object")).isEqualTo("kv");
    }
  }

  @Test
  void directoryThatIsNoBackupIsRefused() throws IOException {
    Files.createDirectory(target);
    Files.writeString(target.resolve("letter"), "mine");
    try (ObjectRuntime runtime = open(data)) {
      fill(runtime);

      assertThatThrownBy(() -> runtime.backup(target))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("is not empty and has no backup");
      assertThatThrownBy(() -> runtime.backup(data.resolve("backup")))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("is in it");
      assertThat(files(target)).containsExactly(target.resolve("letter"));
    }
  }

  @Test
  void backupOfAnotherDirectoryIsRefused() {
    try (ObjectRuntime other = open(directory.resolve("other"))) {
      fill(other);
      other.backup(target);
    }
    try (ObjectRuntime runtime = open(data)) {
      fill(runtime);

      assertThatThrownBy(() -> runtime.backup(target))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("has a backup of another data directory");
    }
    try (ObjectRuntime runtime = open(target)) {
      assertFilled(runtime);
    }
  }

  @Test
  void backupThatWasOpenedIsNoLongerATarget() {
    try (ObjectRuntime runtime = open(data)) {
      fill(runtime);
      runtime.backup(target);
      open(target).close();

      assertThatThrownBy(() -> runtime.backup(target))
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("was opened as a data directory");
    }
  }

  @Test
  void incompleteBackupDoesNotOpen() throws IOException {
    Files.createDirectories(target.resolve("backup.new/files/journal"));

    assertThatThrownBy(() -> open(target))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("has an incomplete backup");

    assertThat(files(target)).isEmpty();
    try (ObjectRuntime runtime = open(data)) {
      fill(runtime);
      runtime.backup(target);
    }
    try (ObjectRuntime runtime = open(target)) {
      assertFilled(runtime);
    }
  }

  @Test
  void endOfABackupIsLogged() throws IOException {
    List<String> lines = new ArrayList<>();
    Logger log = Logger.getLogger("dev.holdfast");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            if (line.getMessage().startsWith("backup-")) {
              lines.add(line.getLevel() + ": " + line.getMessage());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Level level = log.getLevel();
    log.setLevel(Level.INFO);
    log.addHandler(handler);
    try (ObjectRuntime runtime = open(data)) {
      fill(runtime);
      Backup backup = runtime.backup(target);
      Files.createDirectory(target.resolveSibling("other"));
      Files.writeString(target.resolveSibling("other").resolve("letter"), "mine");
      assertThatThrownBy(() -> runtime.backup(target.resolveSibling("other")))
          .isInstanceOf(BackupException.class);

      assertThat(lines).hasSize(2);
      assertThat(lines.getFirst())
          .startsWith("INFO: backup-made: A backup up to position " + backup.position());
      assertThat(lines.getLast())
          .startsWith("WARNING: backup-failed: ")
          .contains("is not empty and has no backup");
    } finally {
      log.removeHandler(handler);
      log.setLevel(level);
    }
  }

  @Test
  void closedRuntimeMakesNoBackup() {
    ObjectRuntime runtime = open(data);
    runtime.close();

    assertThatThrownBy(() -> runtime.backup(target)).isInstanceOf(RuntimeClosedException.class);
    assertThat(target).doesNotExist();
  }
}
