package dev.holdfast.benchmarks.compare.server;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.Set;

/** PostgreSQL with a row for each object, reached through a pool of connections. */
public final class PostgresPeer implements Peer {

  private static final String UPSERT =
      "INSERT INTO objects VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";

  private final PostgresServer server;
  private final HikariDataSource pool = new HikariDataSource();

  private PostgresPeer(PostgresServer server) throws Exception {
    this.server = server;
    pool.setJdbcUrl(server.url());
    pool.setUsername(PostgresServer.USER);
    pool.setMaximumPoolSize(Workload.CALLERS);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE objects (name text PRIMARY KEY, value text NOT NULL)");
    }
  }

  /** Starts the server and a pool. */
  public static PostgresPeer start(PeerFiles files, Path directory) throws Exception {
    return new PostgresPeer(PostgresServer.start(files, directory));
  }

  @Override
  public String name() {
    return "PostgreSQL";
  }

  @Override
  public Place place() {
    return Place.SERVER;
  }

  @Override
  public String durability() {
    return PostgresServer.DURABILITY;
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.complementOf(EnumSet.of(Workload.COLD_OBJECT));
  }

  @Override
  public Session session() {
    return new Session() {
      @Override
      public void put(String object, byte[] value) throws Exception {
        try (Connection connection = pool.getConnection();
            PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
          upsert.setString(1, object);
          upsert.setString(2, new String(value, StandardCharsets.ISO_8859_1));
          upsert.executeUpdate();
        }
      }

      @Override
      public int read(String object) throws Exception {
        try (Connection connection = pool.getConnection();
            PreparedStatement select =
                connection.prepareStatement("SELECT value FROM objects WHERE name = ?")) {
          select.setString(1, object);
          try (ResultSet rows = select.executeQuery()) {
            return rows.next() ? rows.getString(1).length() : 0;
          }
        }
      }
    };
  }

  @Override
  public long cpuNanos() {
    return server.cpuNanos();
  }

  @Override
  public void close() {
    pool.close();
    server.close();
  }
}
