package dev.holdfast.benchmarks.openings;

import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.inprocess.HoldfastPeer;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * First reads of objects in SQLite that are not in memory, beside plain sqlite-jdbc that opens a
 * copy of the same file, reads the same row and closes it. All files are in the page cache.
 */
public final class ColdObjectsTopic implements Topic {

  private static final int OBJECTS = 2_000;
  private static final int VALUE_BYTES = 100;
  private static final int CALLERS = 64;

  /** Until the compiler has done with a side. */
  private static final Duration COMPILED = Duration.ofSeconds(3);

  private static final String SELECT = "SELECT value FROM _cf_KV WHERE key = 'value'";

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    Path data = directory.resolve("holdfast");
    try (HoldfastPeer peer = HoldfastPeer.open(StorageKind.SQLITE, data);
        Session session = peer.session()) {
      for (int i = 0; i < OBJECTS; i++) {
        session.put(
            "cold" + i,
            "x".repeat(VALUE_BYTES).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      }
    }
    List<Path> files = copies(data.resolve("cold/sqlite"), directory.resolve("bare"));
    try (HoldfastPeer peer = HoldfastPeer.open(StorageKind.SQLITE, data)) {
      List<Series> all =
          rounds.interleave(
              List.of(
                  side("Holdfast, 1 caller", 1, CallerKind.PLATFORM, ours(peer, 1)),
                  side("open, read, close, 1 caller", 1, CallerKind.PLATFORM, bare(files, 1)),
                  side("Holdfast, 64 callers", CALLERS, CallerKind.VIRTUAL, ours(peer, CALLERS)),
                  side(
                      "open, read, close, 64 callers",
                      CALLERS,
                      CallerKind.PLATFORM,
                      bare(files, CALLERS))));
      report.add("cold objects, first read", all);
      report.judge(
          "cold objects, SQLite, processor time of a first read / of a bare open, read and close",
          all.get(0).cpuRatio(all.get(1)));
      report.judge(
          "cold objects, SQLite, a second, 64 callers", all.get(2).of(Measured::perSecond));
    }
  }

  /** Closed objects' files; whatever else is in the directory is not a database with the table. */
  private static List<Path> copies(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    List<Path> files = new ArrayList<>();
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file :
          all.filter(Files::isRegularFile).filter(ColdObjectsTopic::isObject).toList()) {
        files.add(Files.copy(file, to.resolve(files.size() + ".sqlite")));
      }
    }
    if (files.size() != OBJECTS) {
      throw new IllegalStateException(files.size() + " files of " + OBJECTS + " objects");
    }
    return files;
  }

  private static boolean isObject(Path file) {
    try {
      read(file);
      return true;
    } catch (SQLException | IllegalStateException e) {
      return false;
    }
  }

  private static void read(Path file) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        PreparedStatement select = connection.prepareStatement(SELECT);
        ResultSet rows = select.executeQuery()) {
      if (!rows.next() || rows.getBytes(1).length < VALUE_BYTES) {
        throw new IllegalStateException(file + " has no value");
      }
    }
  }

  private static Rounds.Side side(
      String name, int callers, CallerKind kind, IntFunction<Call> calls) {
    return new Rounds.Side() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public void warmUp(Duration round) throws Exception {
        measure(round.compareTo(COMPILED) < 0 ? COMPILED : round);
      }

      @Override
      public Measured measure(Duration duration) throws Exception {
        return ClosedLoop.run(new Plan(callers, kind, 1), duration, calls, () -> 0);
      }
    };
  }

  private static IntFunction<Call> ours(HoldfastPeer peer, int callers) {
    return caller -> {
      Session session = peer.session();
      return over(
          callers,
          caller,
          number -> {
            if (session.readCold("cold" + number) != VALUE_BYTES) {
              throw new IllegalStateException("Object " + number + " has no value");
            }
          });
    };
  }

  private static IntFunction<Call> bare(List<Path> files, int callers) {
    return caller -> over(callers, caller, number -> read(files.get(number)));
  }

  @FunctionalInterface
  private interface Numbered {
    void call(int number) throws Exception;
  }

  /** Each caller cycles through its own objects. */
  private static Call over(int callers, int caller, Numbered call) {
    int[] own =
        IntStream.iterate(caller, number -> number < OBJECTS, number -> number + callers).toArray();
    int[] next = {0};
    return () -> call.call(own[next[0]++ % own.length]);
  }
}
