package dev.holdfast.crash.nodes;

import dev.holdfast.crash.nodes.Call.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The callers: each makes one call after the other, through the node that it belongs to. Knows
 * which calls are under way, and what became of the others. Owned by one thread.
 */
final class Callers {

  /** How many callers a node has. */
  static final int PER_NODE = 8;

  private final Promises promises;
  private final CallPlan plan;
  private final Map<Long, UnderWay> underWay = new HashMap<>();
  private final Map<String, Deque<String>> idle = new TreeMap<>();
  private long lastId;
  private long answered;
  private long noneCount;
  private long unknownCount;

  /** The time of the last answer, and the longest that there was none. */
  private long answeredNanos = System.nanoTime();

  private long gapNanos;

  /** A call under way; the caller is null if nobody goes on when it ends. */
  private record UnderWay(Call call, String node, @Nullable String caller, long begun) {}

  /** How a call has ended. */
  record Ended(Call call, Outcome outcome, String result) {}

  Callers(Promises promises, CallPlan plan, List<String> nodes) {
    this.promises = promises;
    this.plan = plan;
    nodes.forEach(this::join);
  }

  /** A node has joined, and gets its own callers. */
  void join(String node) {
    Deque<String> own = new ArrayDeque<>();
    for (int i = 0; i < PER_NODE; i++) {
      own.add(node + "-" + i); // the name of a node may end with a digit
    }
    idle.put(node, own);
  }

  long answered() {
    return answered;
  }

  long noneCount() {
    return noneCount;
  }

  long unknownCount() {
    return unknownCount;
  }

  int underWayCount() {
    return underWay.size();
  }

  /** {@return the calls that are not answered, for a message} */
  List<String> underWayTexts() {
    return underWay.values().stream().map(each -> each.node() + ": " + each.call()).toList();
  }

  /** {@return the longest time without any answer, and begins to measure again} */
  long takeGapNanos() {
    noticeGap();
    long gap = gapNanos;
    gapNanos = 0;
    return gap;
  }

  /** Begins to measure: until now nobody was called. */
  void beginGap() {
    answeredNanos = System.nanoTime();
    gapNanos = 0;
  }

  private void noticeGap() {
    gapNanos = Math.max(gapNanos, System.nanoTime() - answeredNanos);
  }

  /** {@return the lines that a node gets: the next calls of its idle callers} */
  List<String> nextLines(String node) {
    List<String> lines = new ArrayList<>();
    Deque<String> callers = idle.getOrDefault(node, new ArrayDeque<>());
    while (!callers.isEmpty()) {
      String caller = callers.remove();
      lines.add(begin(plan.next(caller, System.currentTimeMillis()), node, caller));
    }
    return lines;
  }

  /** {@return the lines for some reads of numbers, beside the callers} */
  List<String> readLines(String node, int count) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(begin(plan.read(), node, null));
    }
    return lines;
  }

  /** {@return the line for a call that nobody makes: its end is returned by {@link #take}} */
  String beginAlone(Call call, String node) {
    return begin(call, node, null);
  }

  private String begin(Call call, String node, @Nullable String caller) {
    lastId++;
    promises.begun(call);
    underWay.put(lastId, new UnderWay(call, node, caller, System.nanoTime()));
    return call.line(lastId);
  }

  /**
   * Takes what a node says about a call.
   *
   * @param words the words of the line
   * @return how the call has ended; null if it was given up before
   */
  @Nullable Ended take(String[] words) {
    UnderWay call = underWay.remove(Long.parseLong(words[1]));
    if (call == null) {
      return null;
    }
    Outcome outcome =
        switch (words[0]) {
          case "ok" -> Outcome.ANSWERED;
          case "none" -> Outcome.NONE;
          default -> Outcome.UNKNOWN;
        };
    String result = words.length > 2 ? words[2] : "";
    if (outcome == Outcome.ANSWERED) {
      answered++;
      noticeGap();
      answeredNanos = System.nanoTime();
      plan.answered(call.call(), result);
    }
    end(call, outcome, result);
    return new Ended(call.call(), outcome, result);
  }

  /** Nobody will know what becomes of the calls of a node: it is gone. */
  void giveUp(String node) {
    List<Long> ids =
        underWay.entrySet().stream()
            .filter(each -> each.getValue().node().equals(node))
            .map(Map.Entry::getKey)
            .toList();
    for (Long id : ids) {
      UnderWay call = underWay.remove(id);
      if (call != null) {
        end(call, Outcome.UNKNOWN, "");
      }
    }
  }

  private void end(UnderWay call, Outcome outcome, String result) {
    noneCount += outcome == Outcome.NONE ? 1 : 0;
    unknownCount += outcome == Outcome.UNKNOWN ? 1 : 0;
    promises.ended(call.call(), outcome, result, call.begun(), System.nanoTime());
    String caller = call.caller();
    Deque<String> callers = idle.get(call.node());
    if (caller != null && callers != null) {
      callers.add(caller);
    }
  }
}
