package dev.holdfast.system.recovery;

import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The whole content of an object, with its alarms, as text. Stateless. */
final class Content {

  private static final KeyRange ALL = new KeyRange(null, null, false, Integer.MAX_VALUE);

  private Content() {}

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String of(ObjectStore store, boolean hasSql) {
    StoreTurn turn = store.beginTurn();
    try {
      return of(turn, hasSql);
    } finally {
      turn.discard();
    }
  }

  static String of(StoreTurn turn, boolean hasSql) {
    return of(turn, hasSql, /* withIndexes= */ false);
  }

  /**
   * {@return the result of {@link #of}, and the tables of FTS5's index, which are complete after
   * the seal}
   */
  static String withIndexes(ObjectStore store, boolean hasSql) {
    StoreTurn turn = store.beginTurn();
    try {
      return of(turn, hasSql, /* withIndexes= */ true);
    } finally {
      turn.discard();
    }
  }

  private static String of(StoreTurn turn, boolean hasSql, boolean withIndexes) {
    StringBuilder text = new StringBuilder();
    try (StoreScan scan = turn.scan(ALL)) {
      while (scan.next()) {
        text.append(new String(scan.key(), StandardCharsets.UTF_8))
            .append('=')
            .append(Arrays.hashCode(scan.value()))
            .append('\n');
      }
    }
    turn.alarms().stream()
        .sorted(Comparator.comparing(AlarmRecord::name))
        .forEach(alarm -> text.append(alarm).append('\n'));
    if (hasSql) {
      addSql(turn, text, withIndexes);
    }
    return text.toString();
  }

  private static void addSql(StoreTurn turn, StringBuilder text, boolean withIndexes) {
    List<String> tables = new ArrayList<>();
    for (@Nullable Object[] row :
        rows(
            turn,
            "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
                + " AND substr(name, 1, 3) <> '_cf'"
                + " ORDER BY type, name")) {
      String name = String.valueOf(row[1]);
      // FTS5 writes its index when the turn is sealed: before that its tables have less than MATCH
      // finds.
      if (!withIndexes && (name.endsWith("_data") || name.endsWith("_idx"))) {
        continue;
      }
      text.append(Arrays.toString(row)).append('\n');
      if ("table".equals(row[0])) {
        tables.add(name);
      }
    }
    for (String table : tables) {
      text.append(table).append('\n');
      addRows(turn, "SELECT * FROM \"" + table + "\"", text);
      if (!withIndexes && tables.contains(table + "_docsize")) {
        addRows(turn, "SELECT rowid FROM " + table + " WHERE " + table + " MATCH 'some'", text);
      }
    }
  }

  private static void addRows(StoreTurn turn, String query, StringBuilder text) {
    rows(turn, query).stream()
        .map(Arrays::deepToString)
        .sorted()
        .forEach(row -> text.append(row).append('\n'));
  }

  static List<@Nullable Object[]> rows(StoreTurn turn, String query) {
    List<@Nullable Object[]> rows = new ArrayList<>();
    try (SqlRows result = turn.exec(query, new Object[0])) {
      @Nullable Object[] row = result.next();
      while (row != null) {
        rows.add(row);
        row = result.next();
      }
    }
    return rows;
  }
}
