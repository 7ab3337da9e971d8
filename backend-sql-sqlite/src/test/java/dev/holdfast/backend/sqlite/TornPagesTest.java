package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.object;
import static dev.holdfast.backend.sqlite.Objects.select;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.backend.sqlite.wal.BatchWriter;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.RecordKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages that were being written during a power cut, torn at sectors, are repaired in recovery. */
@ParameterizedClass
@ValueSource(ints = {0, SqliteOptions.MEMORY_BYTES_MAX})
final class TornPagesTest {

  @Parameter private int memoryBytesMax;

  private static final int SECTOR_BYTES = 512;
  private static final Object[] NONE = {};

  @TempDir private Path root;

  @RepeatedTest(8)
  void sectorsOfOldAndNewPagesMixedAtRandomAreRepaired(RepetitionInfo repetition)
      throws IOException {
    SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
    try (SqliteHost host = SqliteHost.of(root, 1, memoryBytesMax)) {
      writeRows(host);
      save(host);
      byte[] synced = Files.readAllBytes(host.file(object(1)));
      changeRows(host, random);
      // The next object takes its place: the log is copied into the file, without a sync.
      commit(host.store(2), turn -> turn.put(bytes("a"), bytes("b")));
      List<String> expected = contents(host.store(1));
      commit(host.store(2), turn -> turn.put(bytes("a"), bytes("c")));
      byte[] written = Files.readAllBytes(host.file(object(1)));
      assertThat(written).isNotEqualTo(synced);

      host.crashAt(
          host.journal.lastPosition(),
          after -> overwrite(after.file(object(1)), torn(synced, written, random)));

      assertThat(contents(host.store(1))).isEqualTo(expected);
      assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");
    }
  }

  @Test
  void fileThatWasNeverSyncedIsRebuilt() throws IOException {
    try (SqliteHost host = SqliteHost.of(root, 1, memoryBytesMax)) {
      writeRows(host);
      List<String> expected = contents(host.store(1));

      host.store(2).beginTurn().discard(); // takes its place: it is closed, and has a file
      host.crashAt(host.journal.lastPosition(), after -> delete(after.file(object(1))));
      assertThat(contents(host.store(1))).isEqualTo(expected);
    }
  }

  @Test
  void emptyFileThatWasBeingMadeIsRebuilt() throws IOException {
    try (SqliteHost host = SqliteHost.of(root, 1, memoryBytesMax)) {
      for (int size : List.of(0, 100, 4_096)) {
        Path file = host.file(object(size));
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[size]);

        assertThat(contents(host.store(size))).isEmpty();
        assertThat(commit(host.store(size), turn -> turn.put(bytes("a"), bytes("b")))).isPositive();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fileThatWasRemovedOrCutFromOutsideStaysRefusedUntilItIsBack(boolean removed)
      throws IOException {
    try (SqliteHost host = SqliteHost.of(root, 1, memoryBytesMax)) {
      writeRows(host);
      save(host);
      byte[] saved = Files.readAllBytes(host.file(object(1)));
      changeRows(host, new SplittableRandom(1));
      List<String> expected = contents(host.store(1));

      host.crashAt(
          host.journal.lastPosition(),
          after -> {
            if (removed) {
              delete(after.file(object(1)));
            } else {
              overwrite(after.file(object(1)), Arrays.copyOf(saved, saved.length / 2));
            }
          });
      for (int opening = 0; opening < 3; opening++) {
        assertThatExceptionOfType(StorageFailedException.class)
            .isThrownBy(() -> contents(host.store(1)))
            .withMessageContaining(removed ? "missing" : "bytes long")
            .withMessageContaining("restore the file");
        commit(host.store(2), turn -> turn.put(bytes("a"), bytes("b")));
        host.backend.checkpointBefore(Long.MAX_VALUE);
        host.backend.awaitIdle();
        host.journal.trimBefore(host.backend.lowWaterMark());
        host.restart();
      }
      host.crashAt(host.journal.lastPosition(), after -> overwrite(after.file(object(1)), saved));
      assertThat(contents(host.store(1))).isEqualTo(expected);
    }
  }

  /** The journal has all pages whole, so the file does not matter. */
  @ParameterizedTest
  @ValueSource(ints = {0, PageSize.DEFAULT_BYTES, -1})
  void fileOfWhichEachPageWasWrittenSinceTheSaveIsRedone(int cutTo) throws IOException {
    try (SqliteHost host = SqliteHost.of(root, 1, memoryBytesMax)) {
      writeRows(host);
      save(host);
      commit(host.store(1), turn -> turn.exec("UPDATE t SET v = 'u' || v", NONE));
      commit(
          host.store(1), turn -> turn.exec("INSERT INTO t SELECT id + 1000, v || v FROM t", NONE));
      List<String> expected = contents(host.store(1));

      host.crashAt(
          host.journal.lastPosition(),
          after -> {
            if (cutTo < 0) {
              delete(after.file(object(1)));
            } else {
              overwrite(after.file(object(1)), new byte[cutTo]);
            }
          });
      assertThat(contents(host.store(1))).isEqualTo(expected);
      assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");
    }
  }

  /**
   * It concerns the catalog; its sizes are those of the usual pages, which a file need not have.
   */
  @Test
  void batchWithoutPagesLeavesTheFileAsItIs() {
    try (SqliteHost host = SqliteHost.of(root, 1, memoryBytesMax)) {
      writeRows(host);
      ChainLink link = ChainLink.after(host.journal.lastPosition());
      List<String> expected = contents(host.store(1));
      save(host);
      BatchWriter writer = new BatchWriter();
      writer.begin(PageSize.DEFAULT_BYTES, 1, 1);
      long position =
          host.journal.append(
              RecordKind.BATCH, SqliteBackend.VIEW_ID, object(1), link, writer.finish());

      host.crashAt(position);
      assertThat(contents(host.store(1))).isEqualTo(expected);
      assertThat(select(host.store(1), "PRAGMA quick_check")).containsExactly("ok");
    }
  }

  private static void writeRows(SqliteHost host) {
    commit(
        host.store(1),
        turn ->
            turn.exec(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, v); WITH RECURSIVE n(i) AS (VALUES (1)"
                    + " UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
                    + " INSERT INTO t SELECT i, hex(zeroblob(60)) FROM n",
                NONE));
  }

  private static void changeRows(SqliteHost host, SplittableRandom random) {
    for (int round = 0; round < 20; round++) {
      String change = "r" + random.nextInt(1_000);
      long id = random.nextInt(1, 300);
      commit(
          host.store(1),
          turn ->
              turn.exec(
                  "UPDATE t SET v = ? || substr(v, 5) WHERE id = ?", new Object[] {change, id}));
    }
  }

  private static void save(SqliteHost host) {
    host.backend.checkpointBefore(Long.MAX_VALUE);
    host.backend.awaitIdle();
    assertThat(host.isSaved()).isTrue();
    host.journal.trimBefore(host.backend.lowWaterMark());
  }

  private static byte[] torn(byte[] synced, byte[] written, SplittableRandom random) {
    byte[] torn = Arrays.copyOf(written, Math.max(synced.length, written.length));
    for (int start = 0; start < synced.length; start += SECTOR_BYTES) {
      if (random.nextBoolean()) {
        System.arraycopy(synced, start, torn, start, SECTOR_BYTES);
      }
    }
    return torn;
  }

  private static void overwrite(Path file, byte[] content) {
    try {
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
