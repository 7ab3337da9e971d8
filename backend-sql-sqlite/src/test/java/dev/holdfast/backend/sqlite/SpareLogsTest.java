package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.ObjectKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs that go from a database that is closed to one that is opened. */
class SpareLogsTest {

  @TempDir Path root;

  @Test
  void logOfTheClosedDatabaseServesTheNextOne() throws IOException {
    try (SqliteHost host = new SqliteHost(root, 1)) {
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      Object inode = Files.getAttribute(log(host, 1), "unix:ino");

      commit(host.store(2), turn -> turn.put(bytes("a"), bytes("2")));

      assertThat(log(host, 1)).doesNotExist();
      assertThat(Files.getAttribute(log(host, 2), "unix:ino")).isEqualTo(inode);
      assertThat(spares(host)).isEmpty();
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
      assertThat(get(host.store(2), "a")).isEqualTo(bytes("2"));
    }
  }

  /** A log that names another object's pages, with valid checksums, would be believed. */
  @Test
  void whatAnEarlierProcessLeftIsDeleted() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      commit(host.store(1), turn -> turn.put(bytes("a"), bytes("1")));
      long position = commit(host.store(2), turn -> turn.put(bytes("a"), bytes("2")));

      host.crashAt(position, after -> move(log(after, 1), after.directory()));

      assertThat(spares(host)).isEmpty();
      assertThat(get(host.store(2), "a")).isEqualTo(bytes("2"));
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }

  @Test
  void logsOfAClosedBackendAreEmptyAndServeTheNextOne() {
    try (SqliteHost host = new SqliteHost(root, 3)) {
      for (int round = 0; round < 3; round++) {
        byte[] value = bytes("" + round);
        for (int number = 1; number <= 8; number++) {
          commit(host.store(number), turn -> turn.put(bytes("a"), value));
        }
        host.backend.close();

        // As many as databases were open at once, however many were opened.
        assertThat(spares(host)).hasSize(3).allMatch(spare -> spare.toFile().length() == 0);
        assertThat(log(host, 1)).doesNotExist();
        assertThat(log(host, 8)).doesNotExist();
        host.restart();
        assertThat(get(host.store(8), "a")).isEqualTo(value);
        assertThat(spares(host)).hasSize(2);
      }
    }
  }

  /** The directories of namespaces are where the spare logs are. */
  @ParameterizedTest
  @ValueSource(strings = {"spare-1-wal", "spare-parts-wal"})
  void namespaceMayBeCalledLikeAFileOfOurs(String namespace) {
    ObjectKey key = new ObjectKey(namespace, object(1).id());
    try (SqliteHost host = new SqliteHost(root, 2)) {
      commit(host.backend.store(key), turn -> turn.put(bytes("a"), bytes("1")));

      host.restart();

      assertThat(get(host.backend.store(key), "a")).isEqualTo(bytes("1"));
    }
  }

  private static Path log(SqliteHost host, int number) {
    return ObjectFiles.wal(host.file(object(number)));
  }

  private static void move(Path log, Path directory) {
    try {
      Files.move(log, directory.resolve("spare-1.sqlite-wal"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> spares(SqliteHost host) {
    try (Stream<Path> all = Files.list(host.directory())) {
      return all.filter(each -> String.valueOf(each.getFileName()).startsWith("spare-")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
