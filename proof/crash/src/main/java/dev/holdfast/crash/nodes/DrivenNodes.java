package dev.holdfast.crash.nodes;

import dev.holdfast.crash.nodes.Call.Outcome;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.nodes.LocalNodes;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a test as processes, what they have said, and the callers that call meanwhile. Used
 * by one thread.
 */
final class DrivenNodes {

  /** What nodes whose clocks differ say of each other. */
  private static final String CLOCKS_DIFFER = "The clock of node ";

  private static final Duration SETTLED_STEP = Duration.ofMillis(200);
  private static final Duration SETTLED_MAX = Duration.ofSeconds(30);
  private static final Duration STATUS_MAX = Duration.ofSeconds(5);

  private final LocalNodes nodes;
  private final List<String> names;
  private final Callers callers;
  private final Promises promises;
  private final PrintStream out;
  private final long begunNanos = System.nanoTime();
  private final Set<String> open = new HashSet<>();
  private final Set<String> ready = new HashSet<>();

  /** What nodes said last about their shards. */
  private final Map<String, String> status = new HashMap<>();

  /** The calls of {@link #askAll} that have ended. */
  private final Map<Call, Callers.Ended> asked = new HashMap<>();

  /** What a node has said about a change of members or owners; null until it does. */
  private @Nullable String changeAnswer;

  /** Whether a node has said that the clock of another one is off. */
  private boolean clocksDiffer;

  /**
   * @param names the members; they change when one is replaced
   */
  DrivenNodes(
      LocalNodes nodes, List<String> names, Callers callers, Promises promises, PrintStream out) {
    this.nodes = nodes;
    this.names = names;
    this.callers = callers;
    this.promises = promises;
    this.out = out;
  }

  /** {@return the processes} */
  LocalNodes local() {
    return nodes;
  }

  /** {@return the nodes that take calls} */
  Set<String> ready() {
    return ready;
  }

  boolean isOpen(String name) {
    return open.contains(name);
  }

  /** {@return what nodes said last about their shards} */
  Map<String, String> status() {
    return status;
  }

  boolean clocksDiffer() {
    return clocksDiffer;
  }

  void forgetClocks() {
    clocksDiffer = false;
  }

  void kill(String name) {
    nodes.kill(name, this::take);
  }

  void work(Duration duration) {
    long endNanos = System.nanoTime() + duration.toNanos();
    while (System.nanoTime() < endNanos && promises.violations().isEmpty()) {
      for (String name : List.copyOf(ready)) {
        callers.nextLines(name).forEach(nodes.process(name)::say);
      }
      nodes.receive(this::take);
    }
  }

  void workUntilReady() {
    long endNanos = System.nanoTime() + SETTLED_MAX.toNanos();
    while (!allAreReady() && System.nanoTime() < endNanos) {
      work(SETTLED_STEP);
      if (!promises.violations().isEmpty()) {
        return;
      }
    }
  }

  boolean allAreReady() {
    return ready.size() == names.size();
  }

  /** Callers call meanwhile. Returns also when a promise is broken. */
  void workUntil(String what, BooleanSupplier reached) {
    long endNanos = System.nanoTime() + NodesCrashTest.READY_MAX.toNanos();
    while (!reached.getAsBoolean() && promises.violations().isEmpty()) {
      work(SETTLED_STEP);
      if (System.nanoTime() > endNanos && !reached.getAsBoolean()) {
        throw notReached(NodesCrashTest.READY_MAX, what);
      }
    }
  }

  void until(Duration max, String what, BooleanSupplier reached) {
    long endNanos = System.nanoTime() + max.toNanos();
    while (!reached.getAsBoolean()) {
      nodes.receive(this::take);
      if (System.nanoTime() > endNanos) {
        throw notReached(max, what);
      }
    }
  }

  void receiveFor(Duration duration) {
    long endNanos = System.nanoTime() + duration.toNanos();
    while (System.nanoTime() < endNanos) {
      nodes.receive(this::take);
    }
  }

  private RunFailedException notReached(Duration max, String what) {
    nodes.running().forEach(name -> nodes.process(name).say("status"));
    receiveFor(STATUS_MAX);
    return new RunFailedException(
        "It is not so after %s that %s: ready %s, status %s, under way %s"
            .formatted(max, what, ready, status, callers.underWayTexts()));
  }

  void askStatus() {
    status.clear();
    List<String> asked = names.stream().filter(ready::contains).toList();
    asked.forEach(name -> nodes.process(name).say("status"));
    until(
        NodesCrashTest.ANSWERS_MAX,
        "nodes say their status",
        () -> status.keySet().containsAll(asked));
  }

  private void take(String name, String line) {
    String[] words = line.split(" ", 3);
    switch (words[0]) {
      case "open" -> open.add(name);
      case "closed" -> open.remove(name);
      case "ready" -> ready.add(name);
      case "changed", "refused" -> changeAnswer = line;
      case "ok", "none", "unknown" -> {
        Callers.Ended ended = callers.take(words);
        if (ended != null) {
          asked.put(ended.call(), ended);
        }
      }
      case "wrong" -> {
        promises.broken("node " + name + " answered a call with " + words[2]);
        callers.take(words);
      }
      case "health" -> clocksDiffer |= line.contains(CLOCKS_DIFFER);
      case "status" -> status.put(name, line.substring("status ".length()));
      case "stopped" -> throw new RunFailedException("Node " + name + " has " + line);
      default -> throw new RunFailedException("Node " + name + " said: " + line);
    }
  }

  void say(String what) {
    out.printf(
        "%8.1f s, %,d answered: %s%n",
        (System.nanoTime() - begunNanos) / 1e9, callers.answered(), what);
  }

  /** {@return the answer of a call that is repeated until it is answered} */
  String ask(String node, Call call) {
    return askAll(node, List.of(call)).getFirst();
  }

  /** {@return the answers of calls, each repeated until it is answered} */
  List<String> askAll(String node, List<Call> calls) {
    long endNanos = System.nanoTime() + NodesCrashTest.ANSWERS_MAX.toNanos();
    Map<Call, String> answers = new HashMap<>();
    while (System.nanoTime() < endNanos) {
      List<Call> left = calls.stream().filter(call -> !answers.containsKey(call)).toList();
      if (left.isEmpty()) {
        return calls.stream().map(call -> answers.getOrDefault(call, "")).toList();
      }
      asked.clear();
      left.forEach(call -> nodes.process(node).say(callers.beginAlone(call, node)));
      until(
          NodesCrashTest.ANSWERS_MAX,
          left + " are answered",
          () -> asked.keySet().containsAll(left));
      asked.forEach(
          (call, ended) -> {
            if (ended.outcome() == Outcome.ANSWERED) {
              answers.put(call, ended.result());
            }
          });
    }
    throw new RunFailedException(
        calls + " were not answered by node " + node + ", but " + answers.keySet());
  }

  /** {@return what a node says about a change of members or owners, while callers call} */
  String answerTo(String asked, String change) {
    changeAnswer = null;
    nodes.process(asked).say(change);
    workUntil(change + " is answered", () -> changeAnswer != null);
    return String.valueOf(changeAnswer);
  }

  /** {@return whether a node owns a shard, as a node that keeps it has said last} */
  boolean owns(String name) {
    return status.values().stream()
        .flatMap(each -> Arrays.stream(each.split(" ", -1)))
        .anyMatch(each -> each.contains(":" + name + ":") && !each.endsWith(":0"));
  }

  /** {@return whether a node has said last that it keeps a shard} */
  boolean keeps(String name, int shard) {
    String said = status.get(name);
    return said != null && !said.split(" ", -1)[shard].endsWith(":0");
  }
}
