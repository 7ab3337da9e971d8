package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.sql.SqlMigration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Operators look into objects on SQLite: the contract, tables and versions. */
class PeekTest extends PeekContract {

  private static final SqlMigration FIRST = new SqlMigration("first", "CREATE TABLE one (a)");
  private static final SqlMigration SECOND = new SqlMigration("second", "CREATE TABLE two (a)");

  @Override
  StorageKind storage() {
    return StorageKind.SQLITE;
  }

  @Test
  void versionsAreCountedAndNoMigrationIsRun() {
    try (ObjectRuntime runtime = open()) {
      put(thing(runtime, "none"), "key", "value");
    }
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withMigrations(List.of(FIRST)))) {
      put(thing(runtime, "old"), "key", "value");
    }
    NamespaceOptions both = NamespaceOptions.DEFAULT.withMigrations(List.of(FIRST, SECOND));
    try (ObjectRuntime runtime = open(both)) {
      put(thing(runtime, "new"), "key", "value");
      put(thing(runtime, "newer"), "key", "value");

      assertThat(runtime.admin().versions("things"))
          .containsExactly(Map.entry("", 1L), Map.entry("first", 1L), Map.entry("second", 2L));
      assertThat(runtime.admin().tables("things", id(runtime, "old"))).containsExactly("one");
      assertThat(runtime.admin().tables("things", id(runtime, "new")))
          .containsExactly("one", "two");
      assertThat(runtime.admin().tables("things", id(runtime, "none"))).isEmpty();
    }
  }
}
