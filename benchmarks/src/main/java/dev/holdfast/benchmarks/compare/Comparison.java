package dev.holdfast.benchmarks.compare;

import dev.holdfast.benchmarks.compare.CompareCommand.Starter;
import dev.holdfast.benchmarks.compare.Peer.Place;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Outcome;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Measures all peers, workload by workload, each round beside the rounds of the others. */
final class Comparison {

  /** A miss counts only if it stays in this number of alternated pairs. */
  private static final int PAIRS_AGAIN = 5;

  /** Calls that are not timed, per timed one, of workloads of less than a microsecond. */
  private static final int READS_PER_SAMPLE = 16;

  private static final int DIGITS = 3;

  /**
   * Until the compiler has done with a side in this JVM: a put on 1,000 objects costs 80 us of
   * processor time in the first second, 45 in the third and 28 from the fifth on.
   */
  private static final Duration COMPILED = Duration.ofSeconds(4);

  private final Rounds rounds;
  private final List<Target> targets;
  private final Map<String, Double> syncs;
  private final List<Latencies> latencies = new ArrayList<>();

  Comparison(Rounds rounds, List<Target> targets, Map<String, Double> syncs) {
    this.rounds = rounds;
    this.targets = targets;
    this.syncs = syncs;
  }

  /**
   * One peer in one workload.
   *
   * @param workload the workload
   * @param peer the name
   * @param place where it runs
   * @param durability what it syncs
   * @param syncs counted for an acknowledged write of a single caller; -1 if they were not
   * @param series its rounds
   * @param ratio how many times faster than this one the side of ours is that has a target; null
   *     without a target
   * @param isAgain whether the ratio is of the second time, which followed a miss; the rounds
   *     belong to the first
   * @param target the target; null without one
   * @param verdict what the ratio is worth; null without a target
   */
  record Row(
      Workload workload,
      String peer,
      Place place,
      String durability,
      double syncs,
      Series series,
      @Nullable Spread ratio,
      boolean isAgain,
      @Nullable Target target,
      @Nullable Outcome verdict) {

    /** {@return whether each acknowledged write was synced, or there was nothing to sync} */
    boolean isDurable() {
      return !workload.writes() || syncs < 0 || syncs >= 1;
    }
  }

  /**
   * All latencies of one round.
   *
   * @param workload the workload
   * @param peer the name
   * @param round its number
   * @param histogram nanoseconds
   */
  record Latencies(Workload workload, String peer, int round, Histogram histogram) {}

  /** {@return the latencies of all rounds so far} */
  List<Latencies> latencies() {
    return latencies;
  }

  /** Measures all workloads of all peers that can be started. */
  List<Row> run(List<Starter> starters, Path directory, List<String> absent) throws Exception {
    List<Peer> peers = new ArrayList<>();
    try {
      for (int i = 0; i < starters.size(); i++) {
        Starter starter = starters.get(i);
        try {
          peers.add(starter.start().in(Files.createDirectories(directory.resolve("peer-" + i))));
        } catch (Exception e) {
          absent.add(starter.name() + ": " + e.getMessage());
        }
      }
      List<Row> rows = new ArrayList<>();
      List<Peer> running = new ArrayList<>(peers);
      for (Workload workload : Workload.values()) {
        rows.addAll(measureWhatRuns(workload, running, absent));
      }
      return rows;
    } finally {
      for (Peer each : peers) {
        each.close();
      }
    }
  }

  /** A peer that fails is left out from there on; the workload begins again without it. */
  private List<Row> measureWhatRuns(Workload workload, List<Peer> running, List<String> absent)
      throws Exception {
    while (true) {
      try {
        return measure(workload, running);
      } catch (PeerFailedException e) {
        running.remove(e.peer);
        absent.add(e.peer.name() + ", " + workload.title() + ": " + e.getCause());
        latencies.removeIf(each -> each.workload() == workload);
      }
    }
  }

  /** A peer that could be started and could not be measured. */
  private static final class PeerFailedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient Peer peer;

    PeerFailedException(Peer peer, Exception cause) {
      super(cause);
      this.peer = peer;
    }
  }

  private List<Row> measure(Workload workload, List<Peer> peers) throws Exception {
    List<Side> sides = new ArrayList<>();
    for (Peer each : peers) {
      if (each.workloads().contains(workload)) {
        sides.add(new Side(workload, each));
      }
    }
    List<Series> all = rounds.interleave(sides);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < sides.size(); i++) {
      Row row = row(sides.get(i), all.get(i), sides, all);
      rows.add(row);
      System.out.println(Results.line(row));
    }
    return rows;
  }

  private Row row(Side side, Series series, List<Side> sides, List<Series> all) throws Exception {
    Target target = targetOf(side);
    Spread ratio = null;
    Outcome verdict = null;
    boolean isAgain = false;
    int ours = target == null ? -1 : indexOf(target.side(), sides);
    if (target != null && ours >= 0) {
      ratio = all.get(ours).rateRatio(series);
      verdict = target.judge(ratio.median());
      if (verdict != Outcome.MET) {
        List<Series> again =
            new Rounds(PAIRS_AGAIN, rounds.duration()).interleave(List.of(sides.get(ours), side));
        ratio = again.getFirst().rateRatio(again.getLast());
        verdict = target.judge(ratio.median());
        isAgain = true;
      }
    }
    return new Row(
        side.workload,
        side.name(),
        side.peer.place(),
        side.peer.durability(),
        syncs.getOrDefault(side.name(), -1.0),
        series,
        ratio,
        isAgain,
        target,
        verdict);
  }

  private @Nullable Target targetOf(Side side) {
    return targets.stream()
        .filter(each -> each.workload().equals(side.workload.title()))
        .filter(each -> each.peer().equals(side.name()))
        .findFirst()
        .orElse(null);
  }

  private static int indexOf(String name, List<Side> sides) {
    for (int i = 0; i < sides.size(); i++) {
      if (sides.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** A peer with the sessions of its callers. */
  private final class Side implements Rounds.Side {

    private final Workload workload;
    private final Peer peer;
    private int round;

    Side(Workload workload, Peer peer) throws Exception {
      this.workload = workload;
      this.peer = peer;
      try (Session session = peer.session()) {
        workload.prepare(session);
      } catch (Exception e) {
        throw new PeerFailedException(peer, e);
      }
    }

    @Override
    public String name() {
      return peer.name();
    }

    /** Servers are warmed up by requests alike, and their time is scarce. */
    @Override
    public void warmUp(Duration round) throws Exception {
      boolean isLong =
          peer.place() == Place.IN_PROCESS
              && workload.writes()
              && this.round == 0
              && round.compareTo(COMPILED) < 0;
      run(isLong ? COMPILED : round, new Histogram(DIGITS));
    }

    @Override
    public Measured measure(Duration duration) throws Exception {
      Histogram histogram = new Histogram(DIGITS);
      Measured measured = run(duration, histogram);
      latencies.add(new Latencies(workload, peer.name(), round++, histogram));
      return measured;
    }

    private Measured run(Duration duration, Histogram histogram) throws Exception {
      boolean isQuick = workload == Workload.READ && peer.place() == Place.IN_PROCESS;
      Plan plan = new Plan(Workload.CALLERS, peer.callers(), isQuick ? READS_PER_SAMPLE : 1);
      // New ones in each round: servers close connections while others have their rounds.
      List<Session> sessions = new ArrayList<>();
      Measured measured;
      long cpuNanos;
      try (AutoCloseable _ = () -> closeAll(sessions)) {
        List<ClosedLoop.Call> calls = new ArrayList<>();
        for (int caller = 0; caller < Workload.CALLERS; caller++) {
          Session session = peer.session();
          sessions.add(session);
          calls.add(workload.call(session, caller));
        }
        long cpuBefore = peer.cpuNanos();
        measured = ClosedLoop.run(plan, duration, calls::get, () -> 0, histogram);
        cpuNanos = measured.cpuNanos() + peer.cpuNanos() - cpuBefore;
      } catch (Exception e) {
        throw new PeerFailedException(peer, e);
      }
      return new Measured(
          measured.operations(),
          measured.elapsedNanos(),
          cpuNanos,
          0,
          measured.p50Nanos(),
          measured.p99Nanos());
    }

    private static void closeAll(List<Session> sessions) throws Exception {
      for (Session each : sessions) {
        each.close();
      }
    }
  }
}
