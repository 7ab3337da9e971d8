package dev.holdfast.embedded.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.errors.BackupException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.Test;

/**
 * Backups at random moments while three threads write to both storage engines, whose segments fill
 * and whose objects are saved all the time. Each backup has one prefix of the journal: everything
 * that was answered before it began, and with each write all that were answered before that one.
 */
class BackupUnderLoadTest {

  private static final int TRIES = 3;
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  /** The failures after a power cut would fill the output. */
  @BeforeContainer
  static void silence() {
    LOG.setLevel(Level.OFF);
  }

  @AfterContainer
  static void speak() {
    LOG.setLevel(null);
  }

  @Property(tries = TRIES, shrinking = ShrinkingMode.OFF)
  void backupIsOnePrefixOfTheJournal(
      @ForAll @Size(2) List<@IntRange(min = 1, max = 100) Integer> moments) throws Exception {
    Path root = Files.createTempDirectory("backup");
    try {
      Writers writers = new Writers(/* withPairs= */ true);
      try (ObjectRuntime runtime = open(root.resolve("data"))) {
        writers.start(runtime);
        try {
          for (int moment : moments) {
            writers.awaitStored(moment);
            long from = writers.now();
            Backup backup = runtime.backup(root.resolve("target"));
            long to = writers.now();
            requireWhole(backup, writers, from, to);
          }
        } finally {
          writers.stop();
        }
      }
    } finally {
      delete(root);
    }
  }

  private static ObjectRuntime open(Path data) {
    return BackedUpRuntime.open(data, new FileDisk(), /* withPairs= */ true);
  }

  /** Opens a copy: a backup that was opened is no target any more. */
  private static void requireWhole(Backup backup, Writers writers, long from, long to)
      throws IOException {
    Path copy = backup.directory().resolveSibling("copy");
    copy(backup.directory(), copy);
    try (ObjectRuntime runtime = open(copy)) {
      assertThat(runtime.statistics().journal().durablePosition())
          .isGreaterThanOrEqualTo(backup.position());
      writers.requirePrefix(runtime, from, to);
    }
    delete(copy);
  }

  @Property(tries = TRIES, shrinking = ShrinkingMode.OFF)
  void powerCutHarmsNeitherTheSourceNorTheEarlierBackup(
      @ForAll @IntRange(min = 1, max = 400) int steps, @ForAll long seed) throws Exception {
    Path root = Files.createTempDirectory("backup");
    try {
      Writers writers = new Writers(/* withPairs= */ false);
      long from = cutPowerInSecondBackup(root, writers, steps, seed, /* withPairs= */ false);
      PowerLossDisk disk = new PowerLossDisk(root.resolve("after"));
      try (ObjectRuntime runtime =
          BackedUpRuntime.open(root.resolve("after/target"), disk, /* withPairs= */ false)) {
        writers.requirePrefix(runtime, from, Long.MAX_VALUE);
      }
      try (ObjectRuntime runtime =
          BackedUpRuntime.open(root.resolve("after/data"), disk, /* withPairs= */ false)) {
        writers.requirePrefix(runtime, Long.MAX_VALUE - 1, Long.MAX_VALUE);
      }
    } finally {
      delete(root);
    }
  }

  /**
   * RocksDB writes the data directory without the disk of the test, so only the target is opened:
   * its files of RocksDB are copies, and links to tables that RocksDB has synced.
   */
  @Property(tries = 2, shrinking = ShrinkingMode.OFF)
  void powerCutDoesNotHarmTheRocksDbOfTheEarlierBackup(
      @ForAll @IntRange(min = 1, max = 300) int steps, @ForAll long seed) throws Exception {
    Path root = Files.createTempDirectory("backup");
    try {
      Writers writers = new Writers(/* withPairs= */ true);
      long from = cutPowerInSecondBackup(root, writers, steps, seed, /* withPairs= */ true);
      try (ObjectRuntime runtime = open(root.resolve("after/target"))) {
        writers.requirePrefix(runtime, from, Long.MAX_VALUE);
      }
    } finally {
      delete(root);
    }
  }

  /** {@return when the first backup began} */
  private static long cutPowerInSecondBackup(
      Path root, Writers writers, int steps, long seed, boolean withPairs) throws Exception {
    Path before = Files.createDirectory(root.resolve("before"));
    PowerLossDisk disk = new PowerLossDisk(before);
    ObjectRuntime runtime = BackedUpRuntime.open(before.resolve("data"), disk, withPairs);
    long from;
    try {
      writers.start(runtime);
      writers.awaitStored(100);
      from = writers.now();
      runtime.backup(before.resolve("target"));
      writers.awaitStored(100);
      disk.cutPowerAfter(disk.steps() + steps);
      try {
        runtime.backup(before.resolve("target"));
      } catch (HoldfastException e) {
        CrashableRuntime.requireOfPowerCut(e);
      }
      disk.cutPowerAfter(0);
    } finally {
      writers.stop();
      try {
        runtime.close();
      } catch (HoldfastException e) {
        CrashableRuntime.requireOfPowerCut(e);
      }
    }
    if (withPairs) {
      requireTables(disk, before);
    }
    disk.writeCrashImage(Files.createDirectory(root.resolve("after")), seed);
    return from;
  }

  /** A table is synced by RocksDB before anything names it. */
  private static void requireTables(PowerLossDisk disk, Path root) throws IOException {
    int tables = 0;
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.filter(each -> each.toString().endsWith(".sst")).toList()) {
        disk.madeDurable(path);
        tables += path.startsWith(root.resolve("target")) ? 1 : 0;
      }
    }
    assertThat(tables).isPositive();
  }

  @Test
  void interruptedBackupIsContinued() throws Exception {
    Path root = Files.createTempDirectory("backup");
    try {
      FaultyDisk disk = new FaultyDisk(new FileDisk());
      disk.affectOnly(path -> path.startsWith(root.resolve("target")));
      Writers writers = new Writers(/* withPairs= */ false);
      try (ObjectRuntime runtime =
          BackedUpRuntime.open(root.resolve("data"), disk, /* withPairs= */ false)) {
        writers.start(runtime);
        writers.awaitStored(300);
        writers.stop();
        disk.fail(Operation.WRITE, 8);

        assertThatThrownBy(() -> runtime.backup(root.resolve("target")))
            .isInstanceOf(BackupException.class)
            .hasMessageContaining("make the backup again");
        assertThatThrownBy(() -> open(root.resolve("target")))
            .isInstanceOf(DataDirectoryException.class)
            .hasMessageContaining("incomplete backup");

        disk.heal();
        Backup backup = runtime.backup(root.resolve("target"));
        assertThat(backup.bytesKept()).isPositive();
      }
      try (ObjectRuntime runtime =
          BackedUpRuntime.open(root.resolve("target"), new FileDisk(), /* withPairs= */ false)) {
        writers.requirePrefix(runtime, Long.MAX_VALUE - 1, Long.MAX_VALUE);
      }
    } finally {
      delete(root);
    }
  }

  @Test
  void targetOfARunningBackupIsRefused() throws Exception {
    Path root = Files.createTempDirectory("backup");
    try {
      FaultyDisk disk = new FaultyDisk(new FileDisk());
      Path target = root.resolve("target");
      AtomicReference<Path> meanwhile = new AtomicReference<>(target.resolve("backup.new/files"));
      try (ObjectRuntime other = open(root.resolve("other"));
          ObjectRuntime runtime =
              BackedUpRuntime.open(root.resolve("data"), disk, /* withPairs= */ false)) {
        Writers writers = new Writers(/* withPairs= */ false);
        writers.start(runtime);
        writers.awaitStored(10);
        writers.stop();
        disk.affectOnly(
            path -> {
              Path files = meanwhile.get();
              if (files != null && path.startsWith(files)) {
                meanwhile.set(null);
                assertThatThrownBy(() -> other.backup(target))
                    .isInstanceOf(BackupException.class)
                    .hasMessageContaining("Another backup into the target is being made");
                assertThatThrownBy(() -> open(target))
                    .isInstanceOf(DataDirectoryException.class)
                    .hasMessageContaining("A backup into the directory is being made");
              }
              return false;
            });

        runtime.backup(target);

        assertThat(meanwhile.get()).isNull();
        requireWhole(runtime.backup(target), writers, Long.MAX_VALUE - 1, Long.MAX_VALUE);
      }
    } finally {
      delete(root);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    }
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
