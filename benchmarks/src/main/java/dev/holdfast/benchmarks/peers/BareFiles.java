package dev.holdfast.benchmarks.peers;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.objects.Entries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The peer of alarms of objects in SQLite files: each file is opened, a row is read, a row is
 * written, and the file is closed, which copies the log into the file. Nothing is synced. One
 * thread per processor.
 *
 * @param directory the directory of the files, kept between rounds
 * @param files the number of files
 */
public record BareFiles(Path directory, int files) implements Rounds.Side {

  private static final int FILES_PER_DIRECTORY = 256;

  @Override
  public String name() {
    return "plain sqlite-jdbc, %,d files opened, written and closed, no sync".formatted(files);
  }

  @Override
  public Measured measure(Duration duration) throws Exception {
    if (!Files.exists(directory)) {
      inParallel(this::make);
    }
    long cpuBefore = ClosedLoop.processCpuNanos();
    long before = System.nanoTime();
    inParallel(this::write);
    return new Measured(
        files, System.nanoTime() - before, ClosedLoop.processCpuNanos() - cpuBefore, 0, 0, 0);
  }

  private interface FileWork {
    void run(int number) throws Exception;
  }

  private void inParallel(FileWork work) throws Exception {
    int shares = Runtime.getRuntime().availableProcessors();
    try (ExecutorService threads = Executors.newFixedThreadPool(shares)) {
      List<Future<?>> ends = new ArrayList<>();
      for (int share = 0; share < shares; share++) {
        int first = share;
        ends.add(
            threads.submit(
                () -> {
                  for (int number = first; number < files; number += shares) {
                    work.run(number);
                  }
                  return null;
                }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    }
  }

  private void make(int number) throws Exception {
    Files.createDirectories(file(number).getParent());
    try (Connection connection = open(number);
        Statement statement = connection.createStatement()) {
      statement.execute(Entries.TABLE);
      put(connection, number);
    }
  }

  private void write(int number) throws SQLException {
    try (Connection connection = open(number)) {
      try (PreparedStatement select = connection.prepareStatement(Entries.SELECT)) {
        select.setLong(1, 1);
        try (ResultSet rows = select.executeQuery()) {
          if (!rows.next()) {
            throw new IllegalStateException("The row of file " + number + " is missing");
          }
        }
      }
      put(connection, (int) System.nanoTime());
    }
  }

  private static void put(Connection connection, int value) throws SQLException {
    try (PreparedStatement upsert = connection.prepareStatement(Entries.UPSERT)) {
      upsert.setLong(1, 1);
      upsert.setBytes(2, Integer.toString(value).getBytes(java.nio.charset.StandardCharsets.UTF_8));
      upsert.executeUpdate(); // commits automatically
    }
  }

  private Connection open(int number) throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file(number));
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA locking_mode=EXCLUSIVE");
      statement.execute("PRAGMA synchronous=OFF");
      statement.execute("PRAGMA journal_mode=WAL");
    }
    return connection;
  }

  private Path file(int number) {
    return directory.resolve("" + number % FILES_PER_DIRECTORY).resolve(number + ".sqlite");
  }
}
