package dev.holdfast.benchmarks.compare.server;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** PostgreSQL with a row for each object, reached through a pool of connections. */
public final class PostgresPeer implements Peer {

  /** PostgreSQL refuses to run as root: the number of Debian's user without rights. */
  private static final String NOBODY = "65534";

  private static final String UPSERT =
      "INSERT INTO objects VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";

  private final ServerProcess server;
  private final HikariDataSource pool = new HikariDataSource();

  private PostgresPeer(ServerProcess server, int port) throws Exception {
    this.server = server;
    pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + port + "/postgres");
    pool.setUsername("bench");
    pool.setMaximumPoolSize(Workload.CALLERS);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE objects (name text PRIMARY KEY, value text NOT NULL)");
    }
  }

  /** Makes a cluster and starts it. */
  public static PostgresPeer start(PeerFiles files, Path directory) throws Exception {
    Path data = directory.resolve("data");
    Files.createDirectories(data);
    boolean isRoot = System.getProperty("user.name").equals("root");
    if (isRoot) {
      run(List.of("chown", NOBODY, data.toString()), files);
    }
    Path programs = files.debian("usr/lib/postgresql/15/bin");
    run(
        unprivileged(
            isRoot,
            programs.resolve("initdb").toString(),
            "-D",
            data.toString(),
            "-U",
            "bench",
            "--auth=trust",
            "-L",
            files.debian("usr/share/postgresql/15").toString()),
        files);
    int port = ServerProcess.freePort();
    ServerProcess server =
        ServerProcess.start(
            unprivileged(
                isRoot,
                programs.resolve("postgres").toString(),
                "-D",
                data.toString(),
                "-p",
                "" + port,
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "jit=off"),
            files.libraries(),
            directory);
    server.awaitPort(port);
    return new PostgresPeer(server, port);
  }

  private static List<String> unprivileged(boolean isRoot, String... command) {
    List<String> whole = new ArrayList<>();
    if (isRoot) {
      whole.addAll(List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"));
    }
    whole.addAll(List.of(command));
    return whole;
  }

  private static void run(List<String> command, PeerFiles files) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(files.libraries());
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(command.getFirst() + " failed: " + output);
    }
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
    return "synchronous_commit=on: fdatasync of its log in each commit; commits may share it";
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
