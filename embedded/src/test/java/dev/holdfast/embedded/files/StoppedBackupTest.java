package dev.holdfast.embedded.files;

import static dev.holdfast.embedded.Scripted.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.backup.StoppedBackup;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.errors.BackupException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.journal.StoppedJournal;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** Both storage engines, and more objects than change later. */
  private void write() {
    try (ObjectRuntime runtime = open(data)) {
      put(runtime, "kv", "first");
      put(runtime, "sql", "first");
      for (int number = 0; number < 6; number++) {
        fill(runtime, number, "first");
      }
    }
  }

  private static void fill(ObjectRuntime runtime, int number, String value) {
    in(
        runtime.namespace("sql", Scripted.class).getByName("object-" + number),
        context -> {
          context.storage().put("key", value + "x".repeat(20_000));
          return "";
        });
  }

  @Test
  void secondBackupCopiesWhatHasChanged() throws IOException {
    write();
    Backup first = Holdfast.backup(data, target);
    assertThat(first.bytesKept()).isZero();

    Backup unchanged = Holdfast.backup(data, target);
    // The newest segment, the mark of the journal: they have no end that could be kept.
    assertThat(unchanged.files()).isEqualTo(first.files());
    assertThat(unchanged.bytesKept())
        .isEqualTo(bytesOf(target, "sqlite") + bytesOf(target, "rocksdb"));

    try (ObjectRuntime runtime = open(data)) {
      put(runtime, "sql", "second");
      put(runtime, "kv", "second");
    }
    Backup second = Holdfast.backup(data, target);
    assertThat(second.bytesKept()).isGreaterThan(6 * 20_000).isLessThan(unchanged.bytesKept());
    assertBackedUp(second.position());
  }

  private static long bytesOf(Path root, String prefix) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      return paths
          .filter(
              path ->
                  Files.isRegularFile(path) && root.relativize(path).startsWith(prefix)
                      || path.getFileName().toString().equals("rocksdb.flushed")
                          && prefix.equals("rocksdb"))
          .mapToLong(path -> path.toFile().length())
          .sum();
    }
  }

  /** Sizes and times are equal: only the bytes differ. */
  @Test
  void fileIsKeptOnlyIfItsBytesAreTheSame() throws IOException {
    write();
    Holdfast.backup(data, target);
    Path file = largest(target.resolve("sqlite/sql"));
    byte[] intact = Files.readAllBytes(file);
    byte[] damaged = intact.clone();
    damaged[9_000] ^= 1;
    FileTime time = Files.getLastModifiedTime(file);
    Files.write(file, damaged);
    Files.setLastModifiedTime(file, time);

    Holdfast.backup(data, target);

    assertThat(file).hasBinaryContent(intact);
  }

  private static Path largest(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      return paths
          .filter(Files::isRegularFile)
          .max(Comparator.comparingLong(path -> path.toFile().length()))
          .orElseThrow();
    }
  }

  @Test
  void backupsOfADirectoryInUseAndOfTheStoppedOneContinueEachOther() throws IOException {
    write();
    try (ObjectRuntime runtime = open(data)) {
      runtime.backup(target);
    }
    Backup stopped = Holdfast.backup(data, target);
    assertThat(stopped.bytesKept()).isGreaterThan(6 * 20_000);
    try (ObjectRuntime runtime = open(data)) {
      assertThat(runtime.backup(target).bytesKept()).isGreaterThan(6 * 20_000);
      put(runtime, "sql", "second");
      put(runtime, "kv", "second");
    }
    assertBackedUp(Holdfast.backup(data, target).position());
  }

  @Test
  void interruptedBackupIsContinued() throws IOException {
    write();
    Backup whole = Holdfast.backup(data, directory.resolve("other-target"));
    StoppedJournal journal = StoppedJournal.read(new FileDisk(), data);
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    AtomicInteger files = new AtomicInteger();
    StoppedBackup.Host host =
        new StoppedBackup.Host(
            data,
            disk,
            journal::beginCopy,
            journal.lastPosition(),
            Instant.EPOCH,
            (objects, bytes, bytesMax, position) -> {
              assertThat(bytes).isBetween(1L, bytesMax);
              assertThat(position).isEqualTo(journal.lastPosition());
              if (files.incrementAndGet() == 5) {
                disk.fail(Operation.WRITE, 1);
              }
            });
    assertThatThrownBy(() -> StoppedBackup.run(host, target)).isInstanceOf(BackupException.class);
    assertThatThrownBy(() -> open(target))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("incomplete backup");

    Backup continued = Holdfast.backup(data, target);

    assertThat(continued.files()).isEqualTo(whole.files());
    assertThat(continued.bytesKept()).isGreaterThan(20_000).isLessThan(whole.bytesCopied());
    try (ObjectRuntime runtime = open(target)) {
      assertThat(get(runtime, "sql")).isEqualTo("first");
      assertThat(get(runtime, "kv")).isEqualTo("first");
    }
  }

  @Test
  void targetOfAnotherDirectoryIsRefused() throws IOException {
    write();
    Path other = directory.resolve("other");
    try (ObjectRuntime runtime = open(other)) {
      put(runtime, "sql", "other");
    }
    Holdfast.backup(other, target);
    Map<String, String> before = state(target);
    assertThatThrownBy(() -> Holdfast.backup(data, target))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("has a backup of another data directory");
    assertThat(state(target)).isEqualTo(before);
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
