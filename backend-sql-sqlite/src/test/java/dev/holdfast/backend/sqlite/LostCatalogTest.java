package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No alarm is forgotten because the catalog was removed, emptied or damaged. */
final class LostCatalogTest {

  private static final AlarmRecord NAMED =
      new AlarmRecord("tick", State.PENDING, 7_000, 6_000, 1, "every SKIP 1000");

  @TempDir private Path root;

  /** Something that happens to the files while they are closed. */
  private interface Damage {
    void to(Path catalog) throws IOException;
  }

  private static void fill(SqliteHost host) {
    for (int number = 1; number <= 9; number++) {
      AlarmRecord own = AlarmRecord.once(AlarmRecord.OWN, 1_000 * number);
      commit(
          host.store(number),
          turn -> {
            turn.put(bytes("a"), bytes("b"));
            turn.setAlarms(List.of(own, NAMED));
          });
    }
    // Without an alarm; without anything; and with an alarm alone.
    commit(host.store(10), turn -> turn.put(bytes("a"), bytes("b")));
    commit(host.store(11), turn -> turn.put(bytes("a"), bytes("b")));
    commit(host.store(11), turn -> turn.deleteAll());
    commit(host.store(12), turn -> turn.setAlarms(List.of(NAMED)));
    host.journal.makeAllDurable();
  }

  private static List<AlarmEntry> alarms(SqliteHost host) {
    return host.backend
        .catalog()
        .alarms(new AlarmQuery("tests", State.PENDING, null, Long.MAX_VALUE, 1_000));
  }

  private static List<ObjectId> objects(SqliteHost host) {
    return host.backend.catalog().objects(new ObjectQuery("tests", null, null, 1_000));
  }

  /** Closes normally, so that the journal has nothing of it any more; opens again. */
  private static void damage(SqliteHost host, Damage damage) {
    host.restart();
    host.crashAt(
        host.journal.lastPosition(),
        after -> {
          try {
            damage.to(after.directory().resolve("catalog.sqlite"));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private void assertRebuilt(Damage damage) {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      fill(host);
      List<AlarmEntry> alarms = alarms(host);
      List<ObjectId> objects = objects(host);
      assertThat(alarms).hasSize(19);

      damage(host, damage);

      assertThat(alarms(host)).isEqualTo(alarms);
      assertThat(objects(host)).isEqualTo(objects).hasSize(11);
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("b"));
      commit(host.store(2), turn -> turn.put(bytes("a"), bytes("c")));
      // It stays so.
      host.restart();
      assertThat(alarms(host)).isEqualTo(alarms);
      assertThat(get(host.store(2), "a")).isEqualTo(bytes("c"));
      assertThat(get(host.store(11), "a")).isNull();
    }
  }

  @Test
  void removedCatalogIsMadeFromTheObjects() {
    assertRebuilt(Files::delete);
  }

  /** The new catalog has not been saved yet, and the journal says that there was one. */
  @Test
  void processThatIsKilledAfterTheCatalogWasMadeCanBeOpenedAgain() {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      fill(host);
      List<AlarmEntry> alarms = alarms(host);
      damage(host, Files::delete);
      commit(host.store(2), turn -> turn.put(bytes("a"), bytes("c")));
      host.crashAt(host.journal.lastPosition());
      assertThat(alarms(host)).isEqualTo(alarms);
      assertThat(get(host.store(2), "a")).isEqualTo(bytes("c"));
    }
  }

  @Test
  void emptiedCatalogIsMadeFromTheObjects() {
    assertRebuilt(catalog -> Files.write(catalog, new byte[0]));
  }

  @Test
  void whatAnEarlierAttemptHasLeftDoesNoHarm() {
    assertRebuilt(
        catalog -> {
          Files.delete(catalog);
          for (String left :
              List.of("catalog.sqlite-wal", "catalog.sqlite.new", "catalog.sqlite.new-wal")) {
            Files.write(catalog.resolveSibling(left), new byte[5_000]);
          }
        });
  }

  @Test
  void whatIsNoObjectDoesNotKeepOthersFromBeingFound() {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      fill(host);

      damage(
          host,
          catalog -> {
            Files.delete(catalog);
            Path strangers = catalog.resolveSibling("tests").resolve("str");
            Files.createDirectories(strangers);
            byte[] garbage = "this is no database".repeat(1_000).getBytes(StandardCharsets.UTF_8);
            Files.write(strangers.resolve("strange".repeat(9) + "r.sqlite"), garbage);
            Files.write(strangers.resolve("ab".repeat(32) + ".sqlite"), garbage);
          });

      assertThat(alarms(host)).hasSize(19);
    }
  }

  @Test
  void journalKnowsBetterThanTheFiles() {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      fill(host);
      host.restart();
      commit(host.store(1), turn -> turn.setAlarms(List.of()));
      commit(host.store(2), turn -> turn.setAlarms(List.of(AlarmRecord.once("", 5))));

      host.crashAt(
          host.journal.lastPosition(),
          after -> {
            try {
              Files.delete(after.directory().resolve("catalog.sqlite"));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });

      assertThat(alarms(host))
          .hasSize(16)
          .contains(new AlarmEntry(object(2), AlarmRecord.once("", 5)))
          .noneMatch(entry -> entry.key().equals(object(1)));
    }
  }

  /** Its log still has what the journal lost in the power cut, and the survey opens the file. */
  @Test
  void whatIsOnlyInALogThatACrashHasLeftIsNotBelieved() {
    try (SqliteHost host = SqliteHost.withLogs(root, 4, new FileDisk())) {
      fill(host);
      List<AlarmEntry> alarms = alarms(host);
      List<ObjectId> objects = objects(host);
      host.restart();
      long position = host.journal.lastPosition();
      commit(host.store(13), turn -> turn.setAlarms(List.of(NAMED)));

      host.crashAt(
          position,
          after -> {
            try {
              assertThat(ObjectFiles.wal(after.file(object(13)))).isNotEmptyFile();
              Files.delete(after.directory().resolve("catalog.sqlite"));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });

      assertThat(alarms(host)).isEqualTo(alarms);
      assertThat(objects(host)).isEqualTo(objects);
    }
  }

  /** Runs an action once while a file is synced. */
  private static final class BusySync extends ForwardingDisk {
    private final AtomicBoolean due = new AtomicBoolean();
    private Path busy = Path.of("");
    private Runnable meanwhile = () -> {};

    BusySync() {
      super(new FileDisk());
    }

    @Override
    protected void force(Path path, DiskFile file) throws IOException {
      if (path.equals(busy) && due.compareAndSet(true, false)) {
        meanwhile.run();
      }
      super.force(path, file);
    }
  }

  /** So its batch lies before the record of the state that lacks it. */
  @Test
  void turnThatWroteWhileTheFileWasSavedIsNotTakenBack() {
    BusySync disk = new BusySync();
    try (SqliteHost host = new SqliteHost(root, 4, disk)) {
      host.rebuildLater();
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("saved")));
      disk.meanwhile = () -> commit(host.store(1), turn -> turn.put(bytes("a"), bytes("later")));
      disk.busy = host.file(object(1));
      disk.due.set(true);
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      assertThat(disk.due).isFalse();
      long position = host.journal.lastPosition();
      assertThat(host.journal.records().getLast().kind()).isEqualTo(RecordKind.CHECKPOINT);

      host.crashAt(
          position,
          after -> {
            try {
              Files.delete(after.directory().resolve("catalog.sqlite"));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });

      assertThat(get(host.store(1), "a")).isEqualTo(bytes("later"));
    }
  }

  @Test
  void damagedCatalogIsRefusedAndTheErrorSaysWhatToDo() {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      fill(host);
      byte[] garbage = "this is no database".repeat(1_000).getBytes(StandardCharsets.UTF_8);
      assertThatExceptionOfType(DataDirectoryException.class)
          .isThrownBy(() -> damage(host, catalog -> Files.write(catalog, garbage)))
          .withMessageContaining("move this file and its -wal away");
      assertThat(host.directory().resolve("catalog.sqlite")).hasBinaryContent(garbage);
    }
  }
}
