package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The catalog while its file cannot be written. */
final class CatalogFaultsTest {

  @TempDir private Path root;

  /** SQLite, but the catalog may not grow for some time. */
  private static final class Narrow implements SqliteLibrary {
    private final SqliteLibrary library = SqliteLibrary.jdbc();
    volatile String before = "";

    @Override
    public SqliteConnection open(byte[] image) throws SqliteException {
      return library.open(image);
    }

    @Override
    public SqliteConnection open(Path file) throws SqliteException {
      SqliteConnection connection = library.open(file);
      if (!file.endsWith("catalog.sqlite")) {
        return connection;
      }
      return (SqliteConnection)
          Proxy.newProxyInstance(
              SqliteConnection.class.getClassLoader(),
              new Class<?>[] {SqliteConnection.class},
              (_, method, arguments) -> {
                try {
                  if (method.getName().equals("execute")
                      && arguments[0].equals("BEGIN")
                      && !before.isEmpty()) {
                    connection.execute(before);
                  }
                  return method.invoke(connection, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }

  private static List<AlarmEntry> alarms(SqliteHost host) {
    return host.backend
        .catalog()
        .alarms(new AlarmQuery("tests", State.PENDING, null, Long.MAX_VALUE, 1_000));
  }

  /** Gives an object {@code count} alarms. */
  private static void setAlarms(SqliteHost host, int number, int count) {
    List<AlarmRecord> alarms =
        IntStream.range(0, count)
            .mapToObj(
                each -> AlarmRecord.once("alarm %04d".formatted(each), 1_000L * number + each))
            .toList();
    commit(host.store(number), turn -> turn.setAlarms(alarms));
    host.journal.makeAllDurable();
  }

  private static void save(SqliteHost host) {
    host.backend.checkpointBefore(Long.MAX_VALUE);
    host.backend.awaitIdle();
    host.journal.makeAllDurable();
  }

  /** 200 alarms, none of which fits on the full disk. */
  private SqliteHost fullDisk(Narrow library) {
    SqliteHost host =
        new SqliteHost(
            root, 4, new SqliteBackend.Access(new FileDisk(), library), Durability.ON_WAIT);
    library.before = "PRAGMA max_page_count=8";
    setAlarms(host, 1, 200);
    assertThatThrownBy(() -> alarms(host))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("full");
    library.before = "PRAGMA max_page_count=100000"; // space was freed
    return host;
  }

  @Test
  void alarmsAreFoundAfterTheDiskWasFull() {
    try (SqliteHost host = fullDisk(new Narrow())) {
      assertThat(alarms(host)).hasSize(200);
      // Everything is saved, and the journal needs none of it any more.
      save(host);
      assertThat(host.isSaved()).isTrue();
      host.journal.trimBefore(host.backend.lowWaterMark());

      host.restart();

      assertThat(alarms(host)).hasSize(200);
    }
  }

  @Test
  void namespacesStayApartAfterTheDiskWasFull() {
    try (SqliteHost host = fullDisk(new Narrow())) {
      ObjectKey other = new ObjectKey("other", Objects.object(1).id());
      commit(
          host.backend.store(other),
          turn -> turn.setAlarms(List.of(AlarmRecord.once(AlarmRecord.OWN, 5))));
      host.journal.makeAllDurable();

      assertThat(alarms(host)).hasSize(200);
      assertThat(
              host.backend
                  .catalog()
                  .alarms(new AlarmQuery("other", State.PENDING, null, Long.MAX_VALUE, 1_000)))
          .hasSize(1);
    }
  }

  /** The system may have marked the pages clean; they have not been written since. */
  @ParameterizedTest
  @ValueSource(strings = {"catalog.sqlite", "catalog.sqlite-wal"})
  void failedSyncIsNotBelievedLater(String synced) {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    try (SqliteHost host = new SqliteHost(root, 2, disk)) {
      setAlarms(host, 1, 1);
      disk.affectOnly(file -> file.endsWith(synced));
      disk.fail(Operation.FORCE, 1);
      save(host);
      assertThat(host.backend.lowWaterMark()).isEqualTo(1);
      disk.heal();

      save(host);
      assertThat(host.backend.lowWaterMark()).isEqualTo(1);

      // It continues all the same, and the next opening writes everything to the disk.
      setAlarms(host, 2, 2);
      assertThat(alarms(host)).hasSize(3);
      host.restart();
      assertThat(alarms(host)).hasSize(3);
      save(host);
      assertThat(host.isSaved()).isTrue();
    }
  }

  /** Then only the log has them: it must neither be overwritten nor deleted. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void powerCutAfterAFailedSyncMayLosePagesOfTheFile(boolean closed) {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    try (SqliteHost host = new SqliteHost(root, 2, disk)) {
      setAlarms(host, 1, 300);
      save(host);
      byte[] synced = read(host.directory());
      disk.affectOnly(file -> file.endsWith("catalog.sqlite"));
      disk.fail(Operation.FORCE, 1);
      setAlarms(host, 2, 301);
      save(host);
      setAlarms(host, 3, 11);
      assertThat(alarms(host)).hasSize(612);
      if (closed) {
        host.backend.close();
      }

      host.crashAt(host.journal.lastPosition(), after -> losePages(synced, after.directory()));

      assertThat(alarms(host)).hasSize(612);
      assertThat(integrity(host.directory())).isEqualTo("ok");
    }
  }

  private static byte[] read(Path directory) {
    try {
      return Files.readAllBytes(directory.resolve("catalog.sqlite"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Resets every other page to its content at the last successful sync. */
  private static void losePages(byte[] synced, Path directory) {
    byte[] pages = read(directory);
    for (int page = 1; (page + 1) * 4_096 <= pages.length; page += 2) {
      int offset = page * 4_096;
      if (offset + 4_096 <= synced.length) {
        System.arraycopy(synced, offset, pages, offset, 4_096);
      } else {
        Arrays.fill(pages, offset, offset + 4_096, (byte) 0);
      }
    }
    try {
      Files.write(directory.resolve("catalog.sqlite"), pages);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of a copy: the catalog itself is open. */
  private String integrity(Path directory) {
    try {
      Path copy = root.resolve("copy.sqlite");
      Files.copy(directory.resolve("catalog.sqlite"), copy);
      Files.copy(directory.resolve("catalog.sqlite-wal"), root.resolve("copy.sqlite-wal"));
      SqliteConnection connection = SqliteLibrary.jdbc().open(copy);
      connection.execute("PRAGMA locking_mode=EXCLUSIVE"); // without shared memory
      SqliteStatement check = connection.prepare("PRAGMA integrity_check");
      try {
        check.start();
        return String.valueOf(check.value(0));
      } finally {
        check.close();
        connection.close();
      }
    } catch (IOException | SqliteException e) {
      throw new AssertionError("The copy cannot be read", e);
    }
  }
}
