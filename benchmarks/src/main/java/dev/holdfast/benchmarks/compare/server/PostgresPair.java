package dev.holdfast.benchmarks.compare.server;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL with one synchronous standby, and connections to the primary: a commit returns when
 * both have synced it. Each connection is used by one thread at a time.
 */
public final class PostgresPair implements AutoCloseable {

  private static final int STANDBY_TRIES = 300;
  private static final long TRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PostgresServer primary;
  private @Nullable PostgresServer standby;
  private final List<Connection> connections = new ArrayList<>();
  private final List<PreparedStatement> inserts = new ArrayList<>();

  private PostgresPair(PostgresServer primary) {
    this.primary = primary;
  }

  /**
   * Starts both, and waits until the standby is synchronous.
   *
   * @param files the programs
   * @param directory for their data
   * @param connections how many connections are opened to the primary
   */
  public static PostgresPair start(PeerFiles files, Path directory, int connections)
      throws Exception {
    PostgresPair pair = new PostgresPair(PostgresServer.start(files, directory.resolve("primary")));
    try {
      pair.standby = pair.primary.startStandby(files, directory.resolve("standby"));
      for (int i = 0; i < connections; i++) {
        pair.connections.add(
            DriverManager.getConnection(pair.primary.url(), PostgresServer.USER, null));
      }
      pair.prepare(pair.connections.getFirst());
      for (Connection each : pair.connections) {
        pair.inserts.add(each.prepareStatement("INSERT INTO records (value) VALUES (?)"));
      }
      return pair;
    } catch (Exception e) {
      pair.close();
      throw e;
    }
  }

  private void prepare(Connection connection) throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE records (id bigserial PRIMARY KEY, value bytea NOT NULL)");
      statement.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
      statement.execute("SELECT pg_reload_conf()");
      for (int i = 0; i < STANDBY_TRIES; i++) {
        try (ResultSet states =
            statement.executeQuery("SELECT sync_state FROM pg_stat_replication")) {
          if (states.next() && "sync".equals(states.getString(1))) {
            return;
          }
        }
        LockSupport.parkNanos(TRY_NANOS);
      }
    }
    throw new IOException("the standby is not synchronous");
  }

  /** Inserts a value in a separate transaction. */
  public void insert(int connection, byte[] value) throws SQLException {
    PreparedStatement insert = inserts.get(connection);
    insert.setBytes(1, value);
    insert.executeUpdate();
  }

  /** {@return the processor time that the processes of both have used} */
  public long cpuNanos() {
    PostgresServer other = standby;
    return primary.cpuNanos() + (other == null ? 0 : other.cpuNanos());
  }

  @Override
  public void close() throws SQLException {
    for (Connection each : connections) {
      each.close();
    }
    primary.close();
    PostgresServer other = standby;
    if (other != null) {
      other.close();
    }
  }
}
