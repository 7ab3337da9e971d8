package dev.holdfast.backend.sqlite.binding;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Properties;
import org.sqlite.Function;
import org.sqlite.jdbc4.JDBC4Connection;

/**
 * SQLite with an additional function, {@code canary}, which records that it was called: a stand-in
 * for forbidden functions of the driver, some of which end the process. Used by one thread.
 */
public final class CanaryLibrary implements SqliteLibrary {

  private final boolean trustsSchema;
  private boolean sang;

  /**
   * Creates the library.
   *
   * @param trustsSchema whether views and triggers may call it, as SQLite allows by default
   */
  public CanaryLibrary(boolean trustsSchema) {
    this.trustsSchema = trustsSchema;
  }

  @Override
  public SqliteConnection open(Path file) throws SqliteException {
    return opened(file.toString());
  }

  @Override
  public SqliteConnection open(byte[] image) throws SqliteException {
    JdbcConnection connection = opened(":memory:");
    connection.load(image);
    return connection;
  }

  private JdbcConnection opened(String name) throws SqliteException {
    try {
      JDBC4Connection jdbc = new JDBC4Connection("jdbc:sqlite:" + name, name, new Properties());
      JdbcConnection connection = new JdbcConnection(jdbc);
      connection.execute("PRAGMA trusted_schema=" + (trustsSchema ? "ON" : "OFF"));
      // Marked as the driver's own functions are: not as harmless.
      Function.create(
          jdbc,
          "canary",
          new Function() {
            @Override
            protected void xFunc() throws SQLException {
              sang = true;
              result("sang");
            }
          });
      return connection;
    } catch (SQLException e) {
      throw JdbcLibrary.translated(e);
    }
  }

  /** {@return whether the function was called since the last call of this method} */
  public boolean hasSung() {
    boolean now = sang;
    sang = false;
    return now;
  }
}
