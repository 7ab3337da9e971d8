package dev.holdfast.benchmarks.compare.inprocess;

import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import dev.holdfast.benchmarks.peers.PlainSqlite;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Plain sqlite-jdbc with one database for each object. */
public final class SqliteFullPeer implements Peer {

  private static final int FILES_PER_DIRECTORY = 256;
  private static final long ROW = 1;

  private final Path directory;
  private final ConcurrentHashMap<String, PlainSqlite> open = new ConcurrentHashMap<>();

  /** Creates it with an empty directory. */
  public SqliteFullPeer(Path directory) {
    this.directory = directory;
  }

  @Override
  public String name() {
    return "sqlite-jdbc, FULL";
  }

  @Override
  public Place place() {
    return Place.IN_PROCESS;
  }

  @Override
  public String durability() {
    return "synchronous=FULL: fdatasync of the object's own log in each commit";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.allOf(Workload.class);
  }

  private PlainSqlite database(String object) {
    return open.computeIfAbsent(object, this::connect);
  }

  private PlainSqlite connect(String object) {
    try {
      return PlainSqlite.full(
          directory
              .resolve("" + Math.floorMod(object.hashCode(), FILES_PER_DIRECTORY))
              .resolve(object + ".sqlite"));
    } catch (Exception e) {
      throw new IllegalStateException("cannot open the database of " + object, e);
    }
  }

  @Override
  public Session session() {
    return new Session() {
      @Override
      public void put(String object, byte[] value) throws Exception {
        if (Workload.isKept(object)) {
          database(object).put(ROW, value);
        } else {
          // New and cold ones: as many files as there are would not fit the process.
          try (PlainSqlite own = connect(object)) {
            own.put(ROW, value);
          }
        }
      }

      @Override
      public int read(String object) throws Exception {
        return (int) database(object).size(ROW);
      }

      @Override
      public int readCold(String object) throws Exception {
        try (PlainSqlite own = connect(object)) {
          return (int) own.size(ROW);
        }
      }
    };
  }

  @Override
  public void close() throws IOException {
    for (PlainSqlite each : open.values()) {
      try {
        each.close();
      } catch (SQLException e) {
        throw new IOException(e);
      }
    }
  }
}
