package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A flipped bit in the catalog is detected: no wrong name, no lost or other alarm. */
final class FlippedCatalogTest {

  private static final int PAGE_BYTES = 4_096;
  private static final long SEED = 15;

  private final Random random = new Random(SEED);

  @TempDir private Path root;

  /** What the catalog answers. */
  private record Answers(List<AlarmEntry> alarms, List<ObjectId> objects) {

    static Answers of(SqliteHost host) {
      return new Answers(
          host.backend
              .catalog()
              .alarms(new AlarmQuery("tests", State.PENDING, null, Long.MAX_VALUE, 10_000)),
          host.backend.catalog().objects(new ObjectQuery("tests", null, null, 10_000)));
    }
  }

  /** Objects with names and some alarms each. */
  private static void fill(SqliteHost host, int from, int objects, int alarmsEach) {
    for (int number = from; number < from + objects; number++) {
      long due = 1_000L * number;
      List<AlarmRecord> alarms =
          IntStream.range(0, alarmsEach)
              .mapToObj(each -> AlarmRecord.once("alarm %04d".formatted(each), due + each))
              .toList();
      byte[] id = Objects.object(number).id().toBytes();
      ObjectKey named = new ObjectKey("tests", ObjectId.of(id, "name " + number));
      commit(
          host.backend.store(named),
          turn -> {
            turn.put(bytes("a"), bytes("b"));
            turn.setAlarms(alarms);
          });
    }
    host.journal.makeAllDurable();
  }

  private static Path catalog(SqliteHost host) {
    return host.directory().resolve("catalog.sqlite");
  }

  private static void close(SqliteHost host) {
    host.backend.close();
    host.journal.trimBefore(host.backend.lowWaterMark());
  }

  private byte[] flipped(byte[] file, int page) {
    byte[] flipped = file.clone();
    int bit = random.nextInt(8 * PAGE_BYTES);
    flipped[page * PAGE_BYTES + bit / 8] ^= (byte) (1 << bit % 8);
    return flipped;
  }

  @Test
  void flippedBitInAnyPageIsRefusedAfterACleanClose() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      fill(host, 1, 9, 3);
      Answers expected = Answers.of(host);
      close(host);
      byte[] saved = Files.readAllBytes(catalog(host));
      for (int page = 0; page < saved.length / PAGE_BYTES; page++) {
        byte[] damaged = flipped(saved, page);
        Files.write(catalog(host), damaged);
        assertThatExceptionOfType(DataDirectoryException.class)
            .as("page %s, seed %s", page + 1, SEED)
            .isThrownBy(host::reopen)
            .withMessageContaining(catalog(host).toString());
        assertThat(catalog(host)).hasBinaryContent(damaged);
      }
      Files.write(catalog(host), saved);
      host.reopen();
      assertThat(Answers.of(host)).isEqualTo(expected);
    }
  }

  @Test
  void errorForAFlippedBitSaysWhatToDo() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      fill(host, 1, 9, 3);
      Answers expected = Answers.of(host);
      close(host);
      byte[] saved = Files.readAllBytes(catalog(host));
      saved[saved.length - 50] ^= 1;
      Files.write(catalog(host), saved);
      assertThatExceptionOfType(DataDirectoryException.class)
          .isThrownBy(host::reopen)
          .withMessageContaining("is not the one that was saved")
          .withMessageContaining("move this file and its -wal away");
      Files.delete(catalog(host));
      host.reopen();
      // The names are in no file.
      assertThat(Answers.of(host).alarms()).hasSameSizeAs(expected.alarms());
      byte[] made = Files.readAllBytes(catalog(host));
      host.backend.close();
      made[made.length - 50] ^= 1;
      Files.write(catalog(host), made);
      assertThatExceptionOfType(DataDirectoryException.class).isThrownBy(host::reopen);
    }
  }

  /** Changes since the last save of the catalog are in its log, which has checksums of its own. */
  @Test
  void flippedBitInAnyPageIsRefusedAfterAKill() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      fill(host, 1, 5, 3);
      host.restart();
      fill(host, 21, 5, 3);
      Answers expected = Answers.of(host);
      host.crashAt(host.journal.lastPosition());
      assertThat(Answers.of(host)).isEqualTo(expected);
      host.backend.awaitIdle();
      byte[] saved = Files.readAllBytes(catalog(host));
      for (int page = 0; page < saved.length / PAGE_BYTES; page++) {
        byte[] damaged = flipped(saved, page);
        assertThatExceptionOfType(DataDirectoryException.class)
            .as("page %s, seed %s", page + 1, SEED)
            .isThrownBy(
                () ->
                    host.crashAt(
                        host.journal.lastPosition(), after -> write(catalog(after), damaged)))
            .withMessageContaining("catalog.sqlite");
      }
    }
  }

  /** The log has the next mark then, and the file has what was saved before it. */
  @Test
  void flippedBitIsRefusedAfterASaveThatDidNotGetToTheFileAndTwoKills() throws IOException {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    try (SqliteHost host = new SqliteHost(root, 2, disk)) {
      fill(host, 1, 5, 3);
      host.restart();
      fill(host, 21, 5, 3);
      disk.affectOnly(file -> file.endsWith("catalog.sqlite-wal"));
      disk.fail(Operation.FORCE, 1);
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      disk.heal();
      Answers expected = Answers.of(host);
      host.crashAt(host.journal.lastPosition());
      host.backend.awaitIdle();
      host.journal.trimBefore(host.backend.lowWaterMark());
      byte[] saved = Files.readAllBytes(catalog(host));
      for (int page = 0; page < saved.length / PAGE_BYTES; page++) {
        byte[] damaged = flipped(saved, page);
        assertThatExceptionOfType(DataDirectoryException.class)
            .as("page %s, seed %s", page + 1, SEED)
            .isThrownBy(
                () ->
                    host.crashAt(
                        host.journal.lastPosition(), after -> write(catalog(after), damaged)));
      }
      host.crashAt(host.journal.lastPosition(), after -> write(catalog(after), saved));
      assertThat(Answers.of(host)).isEqualTo(expected);
    }
  }

  /** Until then all of it is in the log and in the journal. */
  @Test
  void flippedBitInACatalogThatWasNeverSavedChangesNothing() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      fill(host, 1, 9, 3);
      Answers expected = Answers.of(host);
      byte[] made = Files.readAllBytes(catalog(host));
      for (int page = 0; page < made.length / PAGE_BYTES; page++) {
        byte[] damaged = flipped(made, page);
        try {
          host.crashAt(host.journal.lastPosition(), after -> write(catalog(after), damaged));
          assertThat(Answers.of(host)).as("page %s, seed %s", page + 1, SEED).isEqualTo(expected);
        } catch (DataDirectoryException e) {
          assertThat(e).hasMessageContaining("catalog.sqlite");
        }
      }
    }
  }

  @Test
  void flippedBitInALargeCatalogIsFoundInTheBackground() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      fill(host, 1, 8, 300);
      close(host);
      byte[] saved = Files.readAllBytes(catalog(host));
      assertThat(saved.length).isGreaterThan(256 << 10);
      byte[] damaged = flipped(saved, saved.length / PAGE_BYTES - 5);
      Files.write(catalog(host), damaged);
      host.reopen();
      host.backend.awaitIdle();
      assertThatExceptionOfType(DataDirectoryException.class)
          .isThrownBy(() -> Answers.of(host))
          .withMessageContaining("is not the one that was saved");
      assertThatExceptionOfType(DataDirectoryException.class)
          .isThrownBy(() -> get(host.store(1), "a"));
      host.backend.close();
      assertThat(catalog(host)).hasBinaryContent(damaged); // it was not saved over
      // Its size is checked when it is opened.
      Files.write(catalog(host), Arrays.copyOf(saved, saved.length - 2 * PAGE_BYTES));
      assertThatExceptionOfType(DataDirectoryException.class)
          .isThrownBy(host::reopen)
          .withMessageContaining(catalog(host).toString());
      Files.write(catalog(host), saved);
      host.reopen();
      host.backend.awaitIdle();
      assertThat(Answers.of(host).alarms()).hasSize(2_400);
    }
  }

  /** It has nothing new, so it is not written. */
  @Test
  void catalogThatDidNotChangeIsNotSavedAgain() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      fill(host, 1, 3, 3);
      host.restart();
      host.restart();
      long position = host.journal.lastPosition();
      host.restart();
      assertThat(host.journal.lastPosition()).isEqualTo(position);
    }
  }

  private static void write(Path file, byte[] content) {
    try {
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
