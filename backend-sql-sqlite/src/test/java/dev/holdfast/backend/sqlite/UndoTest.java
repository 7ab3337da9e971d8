package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.file.PageSize;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.StoreTurn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/**
 * Random programs of key-value writes, SQL and full-text tables, with saves and reopenings in
 * between: applying the batches forwards from nothing, and backwards from the end, reaches every
 * state again.
 */
final class UndoTest {

  private static final Object[] NONE = {};

  /** What a turn does; every action may come at any time, so some fail. */
  enum Action {
    PUT,
    PUT_LARGE,
    DELETE,
    CREATE,
    INSERT_MANY,
    UPDATE_SOME,
    DELETE_MOST,
    ALTER,
    INDEX,
    DROP,
    CREATE_WORDS,
    INSERT_WORDS,
    OPTIMIZE_WORDS,
    DELETE_ALL,
    SAVE,
    REOPEN,
    ROLL_BACK
  }

  @Property(tries = 25, edgeCases = EdgeCasesMode.NONE)
  void everyStateIsReachedForwardsAndBackwards(
      @ForAll("programs") List<Action> program, @ForAll boolean inMemory)
      throws IOException, SQLException {
    Path root = Files.createTempDirectory("holdfast-undo");
    try (SqliteHost host = SqliteHost.of(root, 2, inMemory ? SqliteOptions.MEMORY_BYTES_MAX : 0)) {
      TreeMap<Long, List<String>> states = new TreeMap<>();
      for (int step = 0; step < program.size(); step++) {
        run(host, program.get(step), step, states);
      }
      requireForwards(host, states);
      requireBackwards(host, states);
    } finally {
      delete(root);
    }
  }

  private static void requireForwards(SqliteHost host, TreeMap<Long, List<String>> states)
      throws IOException, SQLException {
    PageReplay replay = new PageReplay();
    for (JournalRecord record : PageReplay.batches(host, object(1))) {
      replay.redo(record);
      requireState(host, replay, states.get(record.position()));
    }
  }

  private static void requireBackwards(SqliteHost host, TreeMap<Long, List<String>> states)
      throws IOException, SQLException {
    List<JournalRecord> batches = PageReplay.batches(host, object(1));
    if (batches.isEmpty()) {
      return;
    }
    Path file = host.file(object(1));
    host.restart();
    PageReplay replay = PageReplay.of(file);
    for (JournalRecord record : batches.reversed()) {
      requireState(host, replay, states.get(record.position()));
      replay.undo(record);
    }
    requireState(host, replay, List.of());
  }

  /** Replaces the file of another object by the pages, and reads it through the backend. */
  private static void requireState(
      SqliteHost host, PageReplay replay, @Nullable List<String> expected)
      throws IOException, SQLException {
    Path scratch = host.directory().resolve("scratch.sqlite");
    Files.createDirectories(host.directory());
    replay.write(scratch);
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + scratch);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("PRAGMA integrity_check")) {
      assertThat(result.getString(1)).isEqualTo("ok");
    }
    int other = 1_000 + host.nextNumber();
    Path target = host.file(object(other));
    Files.createDirectories(target.getParent());
    Files.move(scratch, target);
    if (Files.size(target) > PageSize.DEFAULT_BYTES) {
      host.backend.adopt(object(other));
    }
    assertThat(contents(host.store(other))).isEqualTo(expected);
  }

  private static void run(
      SqliteHost host, Action action, int step, TreeMap<Long, List<String>> states) {
    switch (action) {
      case SAVE -> {
        host.backend.checkpointBefore(Long.MAX_VALUE);
        host.backend.awaitIdle();
      }
      case REOPEN -> {
        // Others take its place among the open ones.
        host.store(2).beginTurn().discard();
        host.store(3).beginTurn().discard();
      }
      case ROLL_BACK -> {
        StoreTurn turn = host.store(1).beginTurn();
        turn.put(bytes("spilled"), new byte[1_000_000]);
        act(turn, Action.INSERT_MANY, step);
        turn.discard();
      }
      default -> {
        StoreTurn turn = host.store(1).beginTurn();
        act(turn, action, step);
        List<String> after = contents(turn);
        long position = turn.seal();
        if (position != Journal.START) {
          states.put(position, after);
        }
      }
    }
  }

  private static void act(StoreTurn turn, Action action, int step) {
    switch (action) {
      case PUT -> turn.put(bytes("key-" + step % 5), bytes("value-" + step));
      case PUT_LARGE -> turn.put(bytes("key-" + step % 5), large(step));
      case DELETE -> turn.delete(bytes("key-" + step % 5));
      case DELETE_ALL -> turn.deleteAll();
      default -> {
        try {
          turn.exec(sql(action, step), NONE).close();
        } catch (SqlException e) {
          // The table does not exist yet, or already exists: nothing was changed.
          assertThat(e.resultCode()).isEqualTo(1);
        }
      }
    }
  }

  private static byte[] large(int step) {
    byte[] value = new byte[30_000];
    for (int at = 0; at < value.length; at++) {
      value[at] = (byte) (at * step >> 3);
    }
    return value;
  }

  private static String sql(Action action, int step) {
    return switch (action) {
      case CREATE -> "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT UNIQUE)";
      case INSERT_MANY ->
          "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
              + " INSERT INTO t (a, b) SELECT i, i || '-"
              + step
              + "-' || hex(zeroblob(40)) FROM n";
      case UPDATE_SOME -> "UPDATE t SET a = a + 1, b = b || 'u' WHERE id % 7 = " + step % 7;
      case DELETE_MOST -> "DELETE FROM t WHERE id % 10 > 0";
      case ALTER -> "ALTER TABLE t ADD COLUMN c" + step + " DEFAULT 'new'";
      case INDEX -> "CREATE INDEX i" + step + " ON t (a, b)";
      case DROP -> "DROP TABLE t";
      case CREATE_WORDS -> "CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter')";
      case INSERT_WORDS ->
          "INSERT INTO words SELECT 'the quick brown fox number ' || b FROM t LIMIT 50";
      case OPTIMIZE_WORDS -> "INSERT INTO words (words) VALUES ('optimize')";
      default -> throw new IllegalArgumentException(action.name());
    };
  }

  @Provide
  Arbitrary<List<Action>> programs() {
    return Arbitraries.of(Action.class).list().ofMinSize(5).ofMaxSize(40);
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    }
  }
}
