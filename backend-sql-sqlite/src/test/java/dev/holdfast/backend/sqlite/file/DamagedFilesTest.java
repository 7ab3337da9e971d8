package dev.holdfast.backend.sqlite.file;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of {@code docs/formats/damage.md}, file by file: nothing is lost silently. */
final class DamagedFilesTest {

  private static final int LARGE_ROWS = 4_000;

  @TempDir private Path root;

  /** What is done to the file of an object. */
  enum Damage {
    REMOVED {
      @Override
      void to(Path file, byte[] older, byte[] other) throws IOException {
        Files.delete(file);
      }
    },
    EMPTIED {
      @Override
      void to(Path file, byte[] older, byte[] other) throws IOException {
        Files.write(file, new byte[0]);
      }
    },
    CUT_BY_LESS_THAN_A_PAGE {
      @Override
      void to(Path file, byte[] older, byte[] other) throws IOException {
        byte[] all = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(all, all.length - 10));
      }
    },
    CUT_BY_A_PAGE {
      @Override
      void to(Path file, byte[] older, byte[] other) throws IOException {
        byte[] all = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(all, all.length - 4_096));
      }
    },
    OLDER {
      @Override
      void to(Path file, byte[] older, byte[] other) throws IOException {
        Files.write(file, older);
      }
    },
    OF_ANOTHER_OBJECT {
      @Override
      void to(Path file, byte[] older, byte[] other) throws IOException {
        Files.write(file, other);
      }
    },
    ONE_BIT_FLIPPED {
      @Override
      void to(Path file, byte[] older, byte[] other) throws IOException {
        byte[] all = Files.readAllBytes(file);
        all[all.length - 100] ^= 1; // in the last row of a table
        Files.write(file, all);
      }
    },
    NO_DATABASE {
      @Override
      void to(Path file, byte[] older, byte[] other) throws IOException {
        Files.write(file, new byte[(int) Files.size(file)]);
      }
    };

    abstract void to(Path file, byte[] older, byte[] other) throws IOException;
  }

  /** Changes the object; its newest rows are in its last pages. */
  private static void write(SqliteHost host, int number, int rows) {
    commit(
        host.store(number),
        turn -> {
          turn.put(bytes("key"), bytes("value " + number));
          turn.exec("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v)", new Object[0]);
          turn.exec(
              "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < "
                  + rows
                  + ") INSERT INTO t (v) SELECT hex(zeroblob(40)) || "
                  + number
                  + " FROM n",
              new Object[0]);
        });
  }

  /** Closes normally, with a journal that keeps what it must; opens after the damage. */
  private static void closeAndDamage(SqliteHost host, Damage damage, byte[] older)
      throws IOException {
    host.backend.close();
    host.journal.trimBefore(host.backend.lowWaterMark());
    damage.to(host.file(object(1)), older, Files.readAllBytes(host.file(object(2))));
    host.reopen();
  }

  private static byte[] stateOf(SqliteHost host, int number) throws IOException {
    host.restart();
    return Files.readAllBytes(host.file(object(number)));
  }

  @ParameterizedTest
  @EnumSource
  void damagedFileIsRefusedAfterACleanClose(Damage damage) throws IOException {
    refused(damage, 40);
  }

  @ParameterizedTest
  @EnumSource(names = "ONE_BIT_FLIPPED", mode = EnumSource.Mode.EXCLUDE)
  void largeDamagedFileIsRefusedAfterACleanClose(Damage damage) throws IOException {
    refused(damage, LARGE_ROWS);
  }

  private void refused(Damage damage, int rows) throws IOException {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      write(host, 1, rows);
      byte[] older = stateOf(host, 1);
      write(host, 1, rows);
      write(host, 2, rows);
      List<String> expected = contents(host.store(1));
      byte[] right = stateOf(host, 1);

      closeAndDamage(host, damage, older);

      Path file = host.file(object(1));
      byte[] damaged = file.toFile().exists() ? Files.readAllBytes(file) : null;
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatExceptionOfType(StorageFailedException.class)
            .isThrownBy(() -> contents(host.store(1)))
            .withMessageContaining(file.toString())
            .withMessageContaining("restore the file from a copy")
            .satisfies(e -> assertThat(e.objectId()).isEqualTo(object(1).id().toString()));
      }
      assertThat(contents(host.store(2))).isNotEmpty();
      host.backend.close();
      assertThat(file.toFile().exists() ? Files.readAllBytes(file) : null).isEqualTo(damaged);
      Files.write(file, right);
      host.reopen();
      assertThat(contents(host.store(1))).isEqualTo(expected);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Each file is whole, but belongs to the other object. */
  @Test
  void swappedFilesAreBothRefused() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      write(host, 1, 40);
      write(host, 2, 40);
      byte[] first = stateOf(host, 1);
      byte[] second = Files.readAllBytes(host.file(object(2)));
      closeAndDamage(host, Damage.OF_ANOTHER_OBJECT, first);
      host.backend.close();
      Files.write(host.file(object(2)), first);
      host.reopen();
      for (int number = 1; number <= 2; number++) {
        ObjectStore swapped = host.store(number);
        assertThatExceptionOfType(StorageFailedException.class)
            .isThrownBy(() -> contents(swapped))
            .withMessageContaining(host.file(object(number)).toString());
      }
      assertThat(host.file(object(1))).hasBinaryContent(second);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void logOfAnotherObjectIsNotBelieved(boolean inMemory) throws IOException {
    byte[] foreign;
    Path other = root.resolve("other");
    try (SqliteHost host = SqliteHost.withLogs(other, 4, new FileDisk())) {
      write(host, 2, 40);
      foreign = Files.readAllBytes(ObjectFiles.wal(host.file(object(2))));
    }
    assertThat(foreign).isNotEmpty();
    try (SqliteHost host =
        inMemory ? new SqliteHost(root, 4) : SqliteHost.withLogs(root, 4, new FileDisk())) {
      write(host, 1, 40);
      List<String> expected = contents(host.store(1));
      host.backend.close();
      host.journal.trimBefore(host.backend.lowWaterMark());
      Files.write(ObjectFiles.wal(host.file(object(1))), foreign);
      host.reopen();
      assertThat(contents(host.store(1))).isEqualTo(expected);
      host.restart();
      assertThat(contents(host.store(1))).isEqualTo(expected);
    }
  }

  /** The journal has the batches since the file was saved, but not the page. */
  @ParameterizedTest
  @EnumSource(names = {"REMOVED", "EMPTIED", "OF_ANOTHER_OBJECT", "ONE_BIT_FLIPPED"})
  void damagedFileIsRefusedAfterAKill(Damage damage) throws IOException {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      write(host, 1, 400);
      write(host, 2, 900);
      byte[] saved = stateOf(host, 1);
      commit(host.store(1), turn -> turn.put(bytes("key"), bytes("changed")));
      List<String> expected = contents(host.store(1));
      host.crashAt(
          host.journal.lastPosition(),
          after -> {
            try {
              byte[] other = Files.readAllBytes(after.file(object(2)));
              damage.to(after.file(object(1)), saved, other);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(() -> contents(host.store(1)))
          .withMessageContaining(host.file(object(1)).toString());
      host.crashAt(
          host.journal.lastPosition(),
          after -> {
            try {
              Files.write(after.file(object(1)), saved);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      assertThat(contents(host.store(1))).isEqualTo(expected);
    }
  }

  /** The object was never saved, so the journal has every page. */
  @ParameterizedTest
  @EnumSource(names = {"REMOVED", "OLDER", "OF_ANOTHER_OBJECT", "ONE_BIT_FLIPPED"})
  void damagedFileIsRebuiltAfterAKillIfTheJournalHasItsWholeLife(Damage damage) throws IOException {
    byte[] older;
    try (SqliteHost host = new SqliteHost(root.resolve("older"), 4)) {
      write(host, 1, 40);
      older = stateOf(host, 1);
    }
    try (SqliteHost host = new SqliteHost(root, 4)) {
      write(host, 1, 40);
      write(host, 1, 40);
      write(host, 2, 90);
      List<String> expected = contents(host.store(1));
      long position = host.journal.lastPosition();
      host.crashAt(position); // recovery writes the files
      host.crashAt(position, after -> damageIn(after, damage, older));
      assertThat(contents(host.store(1))).isEqualTo(expected);
      host.restart();
      assertThat(contents(host.store(1))).isEqualTo(expected);
    }
  }

  @Test
  void flippedBitInAPageThatTheJournalHasIsRepairedAfterAKill() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      write(host, 1, 400);
      byte[] saved = stateOf(host, 1);
      commit(host.store(1), turn -> turn.put(bytes("key"), bytes("changed")));
      List<String> expected = contents(host.store(1));
      int at = new String(saved, StandardCharsets.ISO_8859_1).indexOf("value 1");
      saved[at] ^= 1;
      host.crashAt(host.journal.lastPosition(), after -> damageIn(after, Damage.OLDER, saved));
      assertThat(contents(host.store(1))).isEqualTo(expected);
    }
  }

  private static void damageIn(SqliteHost host, Damage damage, byte[] older) {
    try {
      Path other = host.file(object(2));
      byte[] foreign = Files.exists(other) ? Files.readAllBytes(other) : new byte[0];
      damage.to(host.file(object(1)), older, foreign);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
