package dev.holdfast.backend.sqlite.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectFileException;
import dev.holdfast.backend.sqlite.FaultySqlite;
import dev.holdfast.backend.sqlite.Objects;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.ObjectFileFormat.Terms;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.StoreTurn.MigrationPlan;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unreadable files, for objects without SQL. */
final class ObjectImportTest {

  private static final int IOERR = 10;

  @TempDir private Path directory;
  private final FaultySqlite sqlite = new FaultySqlite();
  private final List<String> written = new ArrayList<>();
  private Path file;

  @BeforeEach
  void make() throws Exception {
    file = directory.resolve("file.sqlite");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
      statement.execute("INSERT INTO _cf_KV VALUES ('a', x'01'), ('b', x'02')");
    }
  }

  private void read() {
    StoreTurn turn =
        (StoreTurn)
            Proxy.newProxyInstance(
                StoreTurn.class.getClassLoader(),
                new Class<?>[] {StoreTurn.class},
                (_, method, _) -> {
                  written.add(method.getName());
                  return null;
                });
    new ObjectImport(
            sqlite,
            Objects.object(1),
            file,
            file,
            new Terms(
                new MigrationPlan(List.of(), /* newerAllowed= */ false, (_, _) -> {}),
                _ -> {},
                _ -> true,
                () -> false))
        .read(turn);
  }

  @Test
  void pairsAreCopied() {
    read();

    assertThat(written).containsExactly("deleteAll", "put", "put", "setAlarms");
  }

  @Test
  void fileThatCannotBeReadIsRefusedBeforeAnythingIsWritten() {
    sqlite.fail("PRAGMA integrity_check", IOERR, "SQLITE_IOERR", FaultySqlite.Effect.NONE);

    assertThatThrownBy(this::read).isInstanceOf(ObjectFileException.class);
    assertThat(written).isEmpty();
  }

  /** Treated as a refused file, it would leave the turn to be sealed, with the keys deleted. */
  @Test
  void turnWithHalfOfAFileIsNotLeftAsIfNothingWasWritten() {
    sqlite.fail("SELECT CAST(key AS BLOB), value", IOERR, "SQLITE_IOERR", FaultySqlite.Effect.NONE);

    assertThatThrownBy(this::read)
        .isInstanceOf(StorageFailedException.class)
        .hasMessageContaining("failed half way");
    assertThat(written).containsExactly("deleteAll");
  }
}
