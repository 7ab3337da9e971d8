package dev.holdfast.backend.sqlite;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Short helper methods for tests. */
public final class Objects {

  static final KeyRange ALL = new KeyRange(null, null, false, Integer.MAX_VALUE);

  /** SQLite's own order is that of the hashed names, which depends on the connection's history. */
  private static final String LISTED =
      "SELECT name FROM pragma_table_list WHERE type <> 'shadow' ORDER BY name";

  private Objects() {}

  public static ObjectKey object(int number) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    ByteBuffer.wrap(id).putInt(number * 0x9E3779B1).putInt(28, number);
    return new ObjectKey("tests", ObjectId.of(id, null));
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte @Nullable [] bytes) {
    return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
  }

  /** Runs work in a turn; {@return the position of its batch} */
  public static long commit(ObjectStore store, Consumer<StoreTurn> work) {
    StoreTurn turn = store.beginTurn();
    work.accept(turn);
    return turn.seal();
  }

  /** Reads something in a turn of its own. */
  public static <T> T read(ObjectStore store, Function<StoreTurn, T> reader) {
    StoreTurn turn = store.beginTurn();
    try {
      return reader.apply(turn);
    } finally {
      turn.discard();
    }
  }

  /** {@return the rows of a query in a turn of its own} */
  public static List<String> select(ObjectStore store, String query, @Nullable Object... bindings) {
    return read(store, turn -> rows(turn, query, bindings));
  }

  /** {@return a value, in a turn of its own} */
  public static byte @Nullable [] get(ObjectStore store, String key) {
    StoreTurn turn = store.beginTurn();
    try {
      return turn.get(bytes(key));
    } finally {
      turn.discard();
    }
  }

  /** {@return everything that an object holds, in a turn of its own} */
  public static List<String> contents(ObjectStore store) {
    return read(store, turn -> contents(turn));
  }

  /** {@return all pairs of the hidden table, in a turn of their own} */
  public static List<String> pairs(ObjectStore store) {
    return read(store, turn -> pairs(turn));
  }

  /** {@return the rows of a query, each as its values separated by bars} */
  public static List<String> rows(StoreTurn turn, String query, @Nullable Object... bindings) {
    List<String> found = new ArrayList<>();
    try (SqlRows rows = turn.exec(query, bindings)) {
      for (@Nullable Object[] row = rows.next(); row != null; row = rows.next()) {
        found.add(String.join("|", Arrays.stream(row).map(Objects::shown).toArray(String[]::new)));
      }
    }
    return found;
  }

  private static String shown(@Nullable Object value) {
    return value instanceof byte[] blob ? Arrays.toString(blob) : String.valueOf(value);
  }

  /** {@return all pairs of the hidden table} */
  public static List<String> pairs(StoreTurn turn) {
    List<String> found = new ArrayList<>();
    try (StoreScan scan = turn.scan(ALL)) {
      while (scan.next()) {
        found.add(text(scan.key()) + "=" + Arrays.hashCode(scan.value()));
      }
    }
    return found;
  }

  /** {@return everything that an object holds, in a form to compare} */
  public static List<String> contents(StoreTurn turn) {
    List<String> found = new ArrayList<>(pairs(turn));
    List<String> schema =
        rows(
            turn,
            "SELECT type, name, sql FROM sqlite_schema WHERE substr(name, 1, 4) <> ? ORDER BY name",
            "_cf_");
    found.addAll(schema);
    for (String table : rows(turn, LISTED)) {
      if (!table.startsWith("sqlite_") && !table.startsWith("_cf_")) {
        String quoted = '"' + table + '"';
        found.addAll(rows(turn, "SELECT " + quoted + ".* FROM " + quoted + " ORDER BY 1"));
      }
    }
    return found;
  }
}
