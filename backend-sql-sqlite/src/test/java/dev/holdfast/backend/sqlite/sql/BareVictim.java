package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.Objects;
import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.backend.sqlite.binding.CanaryLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The same database without any guard: a copy for each attack, within a transaction. */
final class BareVictim implements AttackedProcess.Victim {

  private static final String PAIRS = "SELECT key, value FROM main._cf_KV";

  private final CanaryLibrary library;
  private final Path original;
  private final Path copy;
  private final Effects effects;
  private final List<String> pairs = new ArrayList<>();

  BareVictim(Path directory, CanaryLibrary library) throws IOException, SqliteException {
    this.library = library;
    this.effects = new Effects(library, directory);
    this.original = directory.resolve("original");
    this.copy = directory.resolve("copy.sqlite");
    try (SqliteHost host = new SqliteHost(directory, 4)) {
      Effects.fill(host.store(1));
      host.restart();
      Files.copy(host.file(Objects.object(1)), original);
    }
    SqliteConnection connection = open();
    effects.begin(connection);
    rows(connection, PAIRS, pairs);
    connection.close();
  }

  private SqliteConnection open() throws IOException, SqliteException {
    Files.copy(original, copy, StandardCopyOption.REPLACE_EXISTING);
    return ObjectConnection.open((SqliteLibrary) library, copy).connection();
  }

  @Override
  public List<String> attack(Attack attack) throws IOException, SqliteException {
    List<String> found = new ArrayList<>();
    SqliteConnection connection = open();
    connection.execute("BEGIN");
    boolean isRefused = false;
    for (String step : attack.steps()) {
      List<String> shown = new ArrayList<>();
      try {
        run(connection, step, shown);
      } catch (SqliteException e) {
        isRefused = true;
      }
      shown.forEach(row -> found.addAll(effects.shownBy(row)));
    }
    if (!isRefused) {
      found.add("ran");
    }
    try {
      List<String> now = new ArrayList<>();
      rows(connection, PAIRS, now);
      if (!now.equals(pairs)) {
        found.add("changed the hidden pairs");
      }
    } catch (SqliteException e) {
      found.add("took the hidden table away");
    }
    found.addAll(effects.of(connection));
    try {
      connection.execute("ROLLBACK");
    } catch (SqliteException e) {
      found.add("ended the transaction");
    }
    connection.execute("PRAGMA temp_store_directory=''");
    connection.close();
    found.addAll(effects.outside());
    return found;
  }

  private static void run(SqliteConnection connection, String step, List<String> shown)
      throws SqliteException {
    String sql = Attack.sql(step);
    boolean isOne = sql.indexOf(';') < 0 || sql.contains("TRIGGER");
    if (isOne) {
      rows(connection, sql, shown, Attack.bindings(step));
    } else {
      connection.execute(sql);
    }
  }

  private static void rows(
      SqliteConnection connection, String sql, List<String> found, Object... bindings)
      throws SqliteException {
    SqliteStatement query = connection.prepare(sql);
    try {
      boolean hasRow = query.start(bindings);
      while (hasRow) {
        Object[] values = new Object[query.columnCount()];
        query.values(values);
        for (int each = 0; each < values.length; each++) {
          values[each] =
              values[each] instanceof byte[] bytes
                  ? new String(bytes, StandardCharsets.UTF_8)
                  : values[each];
        }
        found.add(Arrays.toString(values));
        hasRow = query.step();
      }
    } finally {
      query.close();
    }
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(copy);
  }
}
