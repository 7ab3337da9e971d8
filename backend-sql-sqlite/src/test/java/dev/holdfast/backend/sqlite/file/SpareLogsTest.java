package dev.holdfast.backend.sqlite.file;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs that move from a closed database to an opened one. */
class SpareLogsTest {

  @TempDir Path root;

  @Test
  void logOfTheClosedDatabaseServesTheNextOne() throws IOException {
    try (SqliteHost host = SqliteHost.withLogs(root, 1, new FileDisk())) {
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      Object inode = Files.getAttribute(log(host, 1), "unix:ino");

      commit(host.store(2), turn -> turn.put(bytes("a"), bytes("2")));

      assertThat(log(host, 1)).doesNotExist();
      assertThat(Files.getAttribute(log(host, 2), "unix:ino")).isEqualTo(inode);
      assertThat(spares(host)).hasSize(1);
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
      assertThat(get(host.store(2), "a")).isEqualTo(bytes("2"));
    }
  }

  /** A log with another object's pages and valid checksums would be trusted. */
  @Test
  void whatAnEarlierProcessLeftIsCleared() {
    try (SqliteHost host = SqliteHost.withLogs(root, 2, new FileDisk())) {
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      long position = commit(host.store(2), turn -> turn.put(bytes("a"), bytes("2")));

      host.crashAt(position, after -> move(log(after, 1), spares(after).getFirst()));

      assertThat(spares(host)).hasSize(2).allSatisfy(SpareLogsTest::assertHasNoHeader);
      assertThat(get(host.store(2), "a")).isEqualTo(bytes("2"));
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }

  /** After the cleared header are the frames of another object, as they were read and written. */
  @Test
  void turnThatChangesNothingFindsNoCommitInALogThatWasLent() {
    try (SqliteHost host = SqliteHost.withLogs(root, 1, new FileDisk())) {
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      commit(host.store(2), turn -> turn.put(bytes("a"), bytes("2")));

      long position = commit(host.store(1), turn -> turn.delete(bytes("b")));

      assertThat(position).isEqualTo(Journal.START);
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }

  @Test
  void fileThatIsTheLogOfADatabaseIsNotLent() throws IOException {
    SpareLogs spares = new SpareLogs(root);
    spares.takeOver();
    Path left = root.resolve("left.sqlite-wal");
    SpareLogs.Lent lent = requireNonNull(spares.lend(left));
    Files.writeString(left, "what was not copied");

    lent.giveBack(); // though SQLite has not deleted its log

    Path next = root.resolve("next.sqlite-wal");
    requireNonNull(spares.lend(next));
    assertThat(next).isEmptyFile();
    Files.writeString(next, "neither");
    SpareLogs ofNextProcess = new SpareLogs(root);
    ofNextProcess.takeOver();
    Path last = root.resolve("last.sqlite-wal");
    requireNonNull(ofNextProcess.lend(last));
    assertThat(last).isEmptyFile();
    assertThat(left).hasContent("what was not copied");
    assertThat(next).hasContent("neither");
  }

  @Test
  void logThatIsFoundIsReplacedByTheOneThatIsLent() throws IOException {
    Path log = root.resolve("a.sqlite-wal");
    Files.writeString(log, "of an earlier process");

    SpareLogs spares = new SpareLogs(root);
    spares.takeOver();
    requireNonNull(spares.lend(log));

    assertThat(log).isEmptyFile();
  }

  @Test
  void logsOfAClosedBackendHaveNoHeaderAndServeTheNextOne() {
    try (SqliteHost host = SqliteHost.withLogs(root, 3, new FileDisk())) {
      for (int round = 0; round < 3; round++) {
        byte[] value = bytes("" + round);
        for (int number = 1; number <= 8; number++) {
          commit(host.store(number), turn -> turn.put(bytes("a"), value));
        }
        host.backend.close();

        // As many as databases were open at once, however many were opened.
        assertThat(spares(host)).hasSize(3).allSatisfy(SpareLogsTest::assertHasNoHeader);
        assertThat(log(host, 1)).doesNotExist();
        assertThat(log(host, 8)).doesNotExist();
        host.restart();
        assertThat(get(host.store(8), "a")).isEqualTo(value);
        assertThat(spares(host)).hasSize(3);
      }
    }
  }

  @Test
  void longLogIsNotKeptAsLongAsItWas() {
    try (SqliteHost host = SqliteHost.withLogs(root, 1, new FileDisk())) {
      commit(host.store(1), turn -> turn.put(bytes("a"), new byte[100_000]));

      assertThat(get(host.store(2), "a")).isNull();

      assertThat(spares(host)).hasSize(1).allMatch(spare -> spare.toFile().length() == 0);
    }
  }

  /** Thousands of files would hide the directories of the namespaces. */
  @Test
  void spareLogsAreNotAmongTheNamespaces() throws IOException {
    try (SqliteHost host = SqliteHost.withLogs(root, 2, new FileDisk())) {
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      Path top = host.directory();
      host.backend.close();

      host.restart();

      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
      try (Stream<Path> all = Files.list(top)) {
        assertThat(all.map(each -> String.valueOf(each.getFileName())))
            .contains("_spare")
            .noneMatch(name -> name.startsWith("spare-"));
      }
    }
  }

  /** The directories of namespaces are where the spare logs were. */
  @ParameterizedTest
  @ValueSource(strings = {"spare-1-wal", "spare-parts-wal"})
  void namespaceMayBeCalledLikeAFileOfOurs(String namespace) {
    ObjectKey key = new ObjectKey(namespace, object(1).id());
    try (SqliteHost host = SqliteHost.withLogs(root, 2, new FileDisk())) {
      commit(host.backend.store(key), turn -> turn.put(bytes("a"), bytes("1")));

      host.restart();

      assertThat(get(host.backend.store(key), "a")).isEqualTo(bytes("1"));
    }
  }

  private static Path log(SqliteHost host, int number) {
    return ObjectFiles.wal(host.file(object(number)));
  }

  private static void move(Path log, Path spare) {
    try {
      Files.move(log, spare, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void assertHasNoHeader(Path spare) {
    assertThat(spare.toFile().length()).isBetween(8_272L, 32L * 1_024);
    try (InputStream opened = Files.newInputStream(spare)) {
      assertThat(opened.readNBytes(32)).isEqualTo(new byte[32]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> spares(SqliteHost host) {
    try (Stream<Path> all = Files.list(host.directory().resolve("_spare"))) {
      return all.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
