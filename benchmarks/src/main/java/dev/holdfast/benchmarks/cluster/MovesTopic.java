package dev.holdfast.benchmarks.cluster;

import dev.holdfast.benchmarks.cluster.Load.Seen;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Topic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How long callers wait while a shard moves to another node, as planned and after a kill. */
public final class MovesTopic implements Topic {

  private static final int SHARD = 0;
  private static final int CALLERS = 64;

  /** A node saves what it follows every 64 MiB; this much is left to redo for the next owner. */
  private static final int REDO_MEBIBYTES = 63;

  private static final Duration AROUND = Duration.ofMillis(500);

  /** Two nodes take part in turn, so each gives the shard four times and takes it four times. */
  private static final int WARM_UP_MOVES = 8;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    // A move takes 2 seconds and a kill 8: 20 and 16 in a whole run, 6 and 4 in a quick one.
    int fewer = rounds.count() - 1;
    try (NodeProcesses nodes = NodeProcesses.start(directory)) {
      planned(nodes, Math.max(1, rounds.count() * fewer), report);
      List<Double> gaps = kills(nodes, Math.max(1, fewer * fewer));
      report.judge("three nodes, kill of an owner: ms to the next acknowledged write", gaps);
      report.judge(
          "three nodes, kill of an owner: ms, worst",
          Collections.nCopies(1, Collections.max(gaps)));
    }
  }

  private static void planned(NodeProcesses nodes, int count, Report report) throws Exception {
    List<Double> first = new ArrayList<>(); // their code is not compiled yet
    for (int i = 0; i < WARM_UP_MOVES; i++) {
      first.add(loadAround(nodes, /* moves= */ true));
    }
    List<Double> still = new ArrayList<>();
    List<Double> moved = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      still.add(loadAround(nodes, /* moves= */ false));
      moved.add(loadAround(nodes, /* moves= */ true));
    }
    report.judge("three nodes, planned move under load: ms of the longest gap of a caller", moved);
    report.observe("three nodes, the first planned moves of two processes: ms, not counted", first);
    report.observe("three nodes, the same load without a move: ms of the longest gap", still);
  }

  private static double loadAround(NodeProcesses nodes, boolean moves)
      throws IOException, InterruptedException {
    String owner = nodes.owner(nodes.names().getFirst(), SHARD);
    String next = nodes.other(List.of(owner));
    String caller = nodes.other(List.of(owner, next));
    nodes.ask(caller, "begin " + SHARD + " " + CALLERS, "begun");
    NodeProcesses.pause(AROUND);
    if (moves) {
      String answer = nodes.ask(caller, "move " + SHARD + " " + next, "moved");
      if (!answer.equals("moved")) {
        System.out.println(answer); // the machine was too busy; the callers' gap counts
      }
    }
    NodeProcesses.pause(AROUND);
    return millis(end(nodes, caller).gapNanos());
  }

  private static Seen end(NodeProcesses nodes, String caller) throws IOException {
    return Seen.ofWords(nodes.ask(caller, "end", "ended").split(" ", -1));
  }

  /** {@return for each kill of an owner, the milliseconds to the next acknowledged write} */
  static List<Double> kills(NodeProcesses nodes, int count)
      throws IOException, InterruptedException {
    List<Double> gaps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String owner = nodes.owner(nodes.names().getFirst(), SHARD);
      String caller = nodes.other(List.of(owner));
      nodes.ask(caller, "fill " + SHARD + " " + REDO_MEBIBYTES, "filled");
      nodes.ask(caller, "begin " + SHARD + " 1", "begun");
      NodeProcesses.pause(AROUND);
      nodes.kill(owner);
      nodes.ask(caller, "mark", "resumed");
      gaps.add(millis(end(nodes, caller).gapNanos()));
      nodes.restart(owner);
    }
    return gaps;
  }

  static double millis(long nanos) {
    return nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
  }
}
