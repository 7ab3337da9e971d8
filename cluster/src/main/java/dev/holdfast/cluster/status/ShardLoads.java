package dev.holdfast.cluster.status;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.TimeSource;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.RuntimeStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Finds the shards that are too large or too hot beside the others that this node owns. Looks only
 * when somebody asks, and at most once a minute: a node that nobody asks pays nothing. Thread-safe.
 */
public final class ShardLoads {

  private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();

  private static final double NANOS_PER_SECOND = 1e9;

  /** How many times the mean of the others a shard has or does that stands out. */
  private static final int TIMES_MIN = 4;

  /** A smaller shard is not large. */
  private static final long BYTES_MIN = 4L << 30;

  /** Commits a second; with fewer a shard is not hot. */
  private static final double COMMITS_MIN = 1_000;

  /** How much of each second the turns of a hot shard take: nearly as much as one object can. */
  private static final double TURNS_MIN = 0.9;

  /** Which share of what its node does a hot shard does. */
  private static final double SHARE_MIN = 0.5;

  private static final int OBJECTS_NAMED = 3;

  private static final String WHAT_TO_DO =
      " The shard of an object follows from its id: ask for objects that need not be together"
          + " without near, or near different ones. ObjectRecovery.exportTo and importFrom move an"
          + " object to an id of another shard.";

  private final TimeSource time;

  // Guarded by this.
  private Map<Integer, Counted> before = Map.of();
  private long beforeNanos;
  private Map<Integer, List<HealthReason>> found = Map.of();

  /**
   * A shard that this node owns.
   *
   * @param epoch of the ownership; counters begin again with each
   * @param runtime has the objects
   */
  public record Owned(long epoch, ObjectRuntime runtime) {}

  /**
   * What a shard has, and has done since its objects were opened.
   *
   * @param epoch of the ownership
   * @param bytes of the journal, with its history, and of the tables of RocksDB
   * @param commits how many turns have written
   * @param turnNanos how long turns took
   */
  private record Counted(long epoch, long bytes, long commits, long turnNanos) {

    static Counted of(Owned shard) {
      RuntimeStatistics now = shard.runtime().statistics();
      long commits = 0;
      long turnNanos = 0;
      for (NamespaceStatistics each : now.namespaces().values()) {
        commits += each.batches();
        turnNanos += each.turnNanos().sum();
      }
      return new Counted(
          shard.epoch(),
          now.journal().bytesOnDisk() + now.rocksDb().tableBytes(),
          commits,
          turnNanos);
    }
  }

  /**
   * What a shard has done in a window.
   *
   * @param commits a second
   * @param turns how much of each second they took, in seconds
   */
  private record Rate(ObjectRuntime runtime, double commits, double turns) {}

  /**
   * How a shard is beside the others of its node.
   *
   * @param times how many times the mean of the others it has
   * @param share of all
   */
  private record Beside(double times, double share) {

    static <T> Beside of(T shard, Map<Integer, T> all, ToDoubleFunction<T> number) {
      double own = number.applyAsDouble(shard);
      double sum = all.values().stream().mapToDouble(number).sum();
      double mean = (sum - own) / (all.size() - 1);
      return new Beside(mean == 0 ? Double.POSITIVE_INFINITY : own / mean, own / sum);
    }

    String text() {
      return times > 100
          ? "more than 100 times the mean of the others that this node owns"
          : rounded(times) + " times the mean of the others that this node owns";
    }
  }

  /**
   * Creates it.
   *
   * @param time the clock of the objects
   */
  public ShardLoads(TimeSource time) {
    this.time = time;
  }

  /**
   * Looks at the shards, if the last look was a minute ago.
   *
   * @param open the objects of the shards that this node owns
   * @return which of them stand out
   */
  public synchronized List<HealthReason> reasons(Map<Integer, Owned> open) {
    long now = time.monotonicNanos();
    if (before.isEmpty() || now - beforeNanos >= WINDOW_NANOS) {
      look(open, now);
    }
    List<HealthReason> reasons = new ArrayList<>();
    found.forEach(
        (shard, own) -> {
          Counted counted = before.get(shard);
          Owned here = open.get(shard);
          if (counted != null && here != null && counted.epoch() == here.epoch()) {
            reasons.addAll(own);
          }
        });
    return reasons;
  }

  private void look(Map<Integer, Owned> open, long now) {
    Map<Integer, Counted> counted = new TreeMap<>();
    open.forEach((shard, each) -> counted.put(shard, Counted.of(each)));
    Map<Integer, Rate> rates = new TreeMap<>();
    double seconds = (now - beforeNanos) / NANOS_PER_SECOND;
    open.forEach(
        (shard, each) -> {
          Counted earlier = before.get(shard);
          Counted after = counted.get(shard);
          if (earlier != null && after != null && earlier.epoch() == after.epoch()) {
            rates.put(
                shard,
                new Rate(
                    each.runtime(),
                    (after.commits() - earlier.commits()) / seconds,
                    (after.turnNanos() - earlier.turnNanos()) / NANOS_PER_SECOND / seconds));
          }
        });
    Map<Integer, List<HealthReason>> reasons = new TreeMap<>();
    for (int shard : counted.keySet()) {
      List<HealthReason> own = new ArrayList<>();
      large(shard, counted).ifPresent(own::add);
      hot(shard, rates, Math.round(seconds)).ifPresent(own::add);
      reasons.put(shard, own);
    }
    before = counted;
    beforeNanos = now;
    found = reasons;
  }

  private static Optional<HealthReason> large(int shard, Map<Integer, Counted> all) {
    Counted own = all.get(shard);
    if (own == null || all.size() < 2 || own.bytes() < BYTES_MIN) {
      return Optional.empty();
    }
    Beside beside = Beside.of(own, all, Counted::bytes);
    return beside.times() < TIMES_MIN
        ? Optional.empty()
        : Optional.of(
            degraded(
                HealthReason.SHARD_LARGE,
                "Shard "
                    + shard
                    + " has "
                    + rounded((double) own.bytes() / (1L << 30))
                    + " GiB on this node, "
                    + beside.text()
                    + ". Each of its copies takes that much, and no node is added for a part of"
                    + " it."
                    + WHAT_TO_DO));
  }

  private static Optional<HealthReason> hot(int shard, Map<Integer, Rate> all, long seconds) {
    Rate own = all.get(shard);
    if (own == null || all.size() < 2) {
      return Optional.empty();
    }
    Beside commits = Beside.of(own, all, Rate::commits);
    Beside turns = Beside.of(own, all, Rate::turns);
    boolean isByCommits = own.commits() >= COMMITS_MIN && standsOut(commits);
    if (!isByCommits && !(own.turns() >= TURNS_MIN && standsOut(turns))) {
      return Optional.empty();
    }
    String does =
        isByCommits
            ? "made " + Math.round(own.commits()) + " commits a second"
            : "had turns that took " + rounded(own.turns()) + " s of each second";
    return Optional.of(
        degraded(
            HealthReason.SHARD_HOT,
            "Shard "
                + shard
                + " "
                + does
                + " in the last "
                + seconds
                + " s, "
                + (isByCommits ? commits : turns).text()
                + "."
                + busiest(own.runtime(), isByCommits ? BusyBy.CALLS : BusyBy.TURN)
                + " A shard runs on one node: ./holdfast cluster transfer moves it to one that does"
                + " less."
                + WHAT_TO_DO));
  }

  private static boolean standsOut(Beside beside) {
    return beside.times() >= TIMES_MIN && beside.share() >= SHARE_MIN;
  }

  private static String busiest(ObjectRuntime runtime, BusyBy by) {
    List<BusyObject> objects = runtime.busiest(OBJECTS_NAMED, by);
    return objects.isEmpty()
        ? ""
        : objects.stream()
            .map(
                each ->
                    each.namespace()
                        + "/"
                        + each.name().map(name -> "\"" + name + "\"").orElse(each.id()))
            .collect(
                Collectors.joining(
                    ", ",
                    by == BusyBy.CALLS
                        ? " The objects with most calls: "
                        : " The objects with the longest turns: ",
                    "."));
  }

  private static String rounded(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }

  private static HealthReason degraded(String code, String text) {
    return new HealthReason(code, HealthState.DEGRADED, text);
  }
}
