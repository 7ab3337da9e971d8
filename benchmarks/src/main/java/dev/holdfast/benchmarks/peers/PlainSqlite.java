package dev.holdfast.benchmarks.peers;

import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The peer: one plain SQLite database in write-ahead mode, its statements prepared once, each
 * commit durable by itself. A lock lets many threads use it: without one, sqlite-jdbc's own lock
 * would do the same, and a connection per thread would wait for SQLite's busy handler, which
 * sleeps.
 *
 * <p>Thread-safe.
 */
public final class PlainSqlite implements AutoCloseable {

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Connection connection;
  private final PreparedStatement upsert;
  private final PreparedStatement select;
  private final @Nullable DiskFile walFile;

  private PlainSqlite(Connection connection, @Nullable DiskFile walFile) throws SQLException {
    this.connection = connection;
    this.walFile = walFile;
    this.upsert = connection.prepareStatement(Entries.UPSERT);
    this.select = connection.prepareStatement(Entries.SELECT);
  }

  /** Opens a database that syncs each commit itself: {@code synchronous=FULL}. */
  public static PlainSqlite full(Path file) throws SQLException, IOException {
    return new PlainSqlite(connect(file, "FULL"), null);
  }

  /**
   * Opens a database whose commits are synced through a disk: SQLite itself syncs nothing, and the
   * write-ahead file is synced after each commit. That is what {@code FULL} does for a commit, less
   * the syncs of its checkpoints, so this peer does slightly less work than required.
   */
  public static PlainSqlite syncedThrough(MeasuredDisk disk, Path file)
      throws SQLException, IOException {
    Connection connection = connect(file, "OFF");
    return new PlainSqlite(connection, disk.open(Path.of(file + "-wal"), Mode.WRITE));
  }

  private static Connection connect(Path file, String synchronous)
      throws SQLException, IOException {
    Path parent = file.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA synchronous=" + synchronous);
      statement.execute("PRAGMA journal_mode=WAL");
      statement.execute(Entries.TABLE);
    }
    return connection;
  }

  public void put(long id, byte[] value) throws SQLException, IOException {
    lock.lock();
    try {
      upsert.setLong(1, id);
      upsert.setBytes(2, value);
      upsert.executeUpdate(); // commits automatically
      if (walFile != null) {
        walFile.force();
      }
    } finally {
      lock.unlock();
    }
  }

  public long size(long id) throws SQLException {
    lock.lock();
    try {
      select.setLong(1, id);
      try (ResultSet rows = select.executeQuery()) {
        return rows.next() ? rows.getBytes(1).length : 0;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws SQLException, IOException {
    lock.lock();
    try (connection) {
      if (walFile != null) {
        walFile.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
