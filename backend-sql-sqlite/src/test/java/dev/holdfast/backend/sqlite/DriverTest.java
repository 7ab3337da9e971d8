package dev.holdfast.backend.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which driver is loaded. */
final class DriverTest {

  /** Kept: the log manager drops unreferenced loggers. */
  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  @TempDir private Path root;

  /** The tests run with the version of the build, so this fails if only that version changes. */
  @Test
  void versionOfTheBuildIsTheTestedOne() {
    assertThat(SqliteLibrary.jdbc().untestedVersion()).isNull();
    assertThat(warnings(SqliteLibrary.jdbc())).isEmpty();
  }

  @Test
  void openingWarnsOnceOfAnotherVersion() {
    assertThat(warnings(new Swapped()))
        .singleElement()
        .asString()
        .startsWith("sqlite-jdbc 3.46.1.3 is used: ")
        .contains("org.xerial:sqlite-jdbc");
  }

  private List<String> warnings(SqliteLibrary library) {
    List<String> messages = new ArrayList<>();
    SimpleFormatter formatter = new SimpleFormatter();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord each) {
            if (each.getLevel() == Level.WARNING) {
              messages.add(formatter.formatMessage(each));
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    LOG.addHandler(handler);
    LOG.setUseParentHandlers(false);
    try (SqliteHost host =
        new SqliteHost(
            root, 2, new SqliteBackend.Access(new FileDisk(), library), Durability.ON_WAIT)) {
      Objects.commit(host.store(1), turn -> turn.put(Objects.bytes("k"), Objects.bytes("v")));
    } finally {
      LOG.setUseParentHandlers(true);
      LOG.removeHandler(handler);
    }
    return messages;
  }

  /** The driver, with another version. */
  private record Swapped() implements SqliteLibrary {
    @Override
    public SqliteConnection open(Path file) throws SqliteException {
      return SqliteLibrary.jdbc().open(file);
    }

    @Override
    public SqliteConnection open(byte[] image) throws SqliteException {
      return SqliteLibrary.jdbc().open(image);
    }

    @Override
    public @Nullable String untestedVersion() {
      return "sqlite-jdbc 3.46.1.3 is used";
    }
  }
}
