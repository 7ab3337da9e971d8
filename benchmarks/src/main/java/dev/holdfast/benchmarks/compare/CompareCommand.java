package dev.holdfast.benchmarks.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.compare.Comparison.Row;
import dev.holdfast.benchmarks.compare.inprocess.HoldfastPeer;
import dev.holdfast.benchmarks.compare.inprocess.MvStorePeer;
import dev.holdfast.benchmarks.compare.inprocess.PekkoAskPeer;
import dev.holdfast.benchmarks.compare.inprocess.RocksDbSyncPeer;
import dev.holdfast.benchmarks.compare.inprocess.SqliteFullPeer;
import dev.holdfast.benchmarks.compare.server.HttpPeer;
import dev.holdfast.benchmarks.compare.server.PeerFiles;
import dev.holdfast.benchmarks.compare.server.PekkoStatePeer;
import dev.holdfast.benchmarks.compare.server.PostgresPeer;
import dev.holdfast.benchmarks.compare.server.RedisPeer;
import dev.holdfast.benchmarks.harness.Machine;
import dev.holdfast.benchmarks.harness.Outcome;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Targets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code ./holdfast bench compare [--quick] [--results DIR]}: Holdfast and every peer in one run,
 * and whether the targets are met.
 *
 * <p>Exit codes: 0 all rows that ran are met or at their accepted bound; 1 one is missed, also when
 * it is run again; 2 wrong usage; 3 a peer could not be had.
 */
public final class CompareCommand {

  private static final Rounds FULL = new Rounds(5, Duration.ofSeconds(1));
  private static final Rounds QUICK = new Rounds(3, Duration.ofMillis(500));

  private CompareCommand() {}

  /**
   * Runs the comparison.
   *
   * @param arguments see the class
   * @param directory an empty directory for data
   * @param machine the machine
   * @return the exit code
   * @throws Exception if a measurement fails
   */
  public static int run(Options arguments, Path directory, Machine machine) throws Exception {
    List<String> absent = new ArrayList<>();
    PeerFiles files = files();
    fetch("npm", files::fetchNpm, absent);
    fetch("Debian", files::fetchDebian, absent);
    long fetchedNanos = System.nanoTime();
    List<Starter> starters = starters(files);
    List<Target> targets = targets(Targets.FILE);
    Comparison comparison =
        new Comparison(
            arguments.quick() ? QUICK : FULL,
            targets,
            SyncCount.ofAll(starters, files, directory.resolve("syncs"), absent));
    List<Row> rows = comparison.run(starters, directory, absent);
    Path results =
        arguments.results() != null
            ? arguments.results()
            : Path.of("benchmarks/results", LocalDate.now(ZoneId.systemDefault()) + "-compare");
    Duration took = Duration.ofNanos(System.nanoTime() - fetchedNanos);
    new Results(machine, arguments.quick(), took).write(results, comparison, rows, absent);
    System.out.printf("%nThe whole result is in %s; it took %,d s.%n", results, took.toSeconds());
    Results.judged(rows, targets, absent).forEach(System.out::println);
    return exitCode(rows, absent);
  }

  static int exitCode(List<Row> rows, List<String> absent) {
    if (rows.stream().anyMatch(row -> row.verdict() == Outcome.MISSED)) {
      return 1;
    }
    return absent.isEmpty() ? 0 : 3;
  }

  /**
   * What was asked for.
   *
   * @param quick fewer and shorter rounds
   * @param results where the results go; null for a directory of this day
   */
  public record Options(boolean quick, @org.jspecify.annotations.Nullable Path results) {}

  /** Starts a peer, with a separate directory. */
  record Starter(String name, Start start) {}

  /** How a peer is started. */
  @FunctionalInterface
  interface Start {
    Peer in(Path directory) throws Exception;
  }

  @FunctionalInterface
  private interface Fetch {
    void run() throws Exception;
  }

  private static void fetch(String from, Fetch fetch, List<String> absent) {
    try {
      fetch.run();
    } catch (Exception e) {
      absent.add("the peers from " + from + ": " + e.getMessage());
    }
  }

  /** {@return the programs of peers, in the project} */
  public static PeerFiles files() {
    return new PeerFiles(Path.of("benchmarks/src/main/peers"), Path.of("benchmarks/target/peers"));
  }

  static List<Starter> starters(PeerFiles files) {
    return List.of(
        new Starter(
            "Holdfast, SQLite", directory -> HoldfastPeer.open(StorageKind.SQLITE, directory)),
        new Starter(
            "Holdfast, RocksDB", directory -> HoldfastPeer.open(StorageKind.ROCKSDB, directory)),
        new Starter("sqlite-jdbc, FULL", SqliteFullPeer::new),
        new Starter("rocksdbjni, sync", RocksDbSyncPeer::open),
        new Starter("H2 MVStore, sync", MvStorePeer::open),
        new Starter("Pekko typed ask", _ -> new PekkoAskPeer()),
        new Starter("Pekko durable state", directory -> PekkoStatePeer.start(files, directory)),
        new Starter("Holdfast over HTTP", HttpPeer::holdfast),
        new Starter("workerd", directory -> HttpPeer.workerd(files, directory)),
        new Starter("Restate", directory -> HttpPeer.restate(files, directory)),
        new Starter("Redis", directory -> RedisPeer.start(files, directory)),
        new Starter("PostgreSQL", directory -> PostgresPeer.start(files, directory)));
  }

  static List<Target> targets(Path file) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode peers = mapper.readTree(Files.readString(file)).required("peers");
    return List.of(mapper.treeToValue(peers, Target[].class));
  }
}
