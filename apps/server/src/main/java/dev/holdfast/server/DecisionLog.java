package dev.holdfast.server;

import dev.holdfast.http.Firewall;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.MatchedRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Logs what the firewall decides: a line for each request that a rule matches, and what was
 * decided, once a minute and at the end. Thread-safe.
 */
final class DecisionLog implements AutoCloseable {

  private static final long MINUTE = 60;

  private final Firewall firewall;
  private final Consumer<String> log;
  private final ScheduledExecutorService minutes =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("holdfast-decisions").factory());

  private final ScheduledFuture<?> counting;

  /** What the last line has counted. Guarded by this object. */
  private Map<String, Long> counted = Map.of();

  /** Guarded by this object. */
  private long failuresCounted;

  DecisionLog(Firewall firewall, Consumer<String> log) {
    this.firewall = firewall;
    this.log = log;
    counting = minutes.scheduleAtFixedRate(this::count, MINUTE, MINUTE, TimeUnit.SECONDS);
  }

  /** Logs a decision with a rule that matched. */
  void add(Decision decision) {
    List<String> rules = new ArrayList<>();
    for (MatchedRule rule : decision.matched()) {
      rules.add(rule.ruleId() + " " + rule.action().word());
    }
    log.accept(
        "decision "
            + decision.action().word()
            + " at "
            + decision.time()
            + " in version "
            + decision.zoneVersion()
            + " of zone "
            + decision.zoneId()
            + ": "
            + String.join(", ", rules));
  }

  /** Logs what was decided since the last time, if anything was. */
  private synchronized void count() {
    Map<String, Long> decisions = firewall.decisions();
    long failures = firewall.failures();
    Map<String, Long> more = new TreeMap<>();
    decisions.forEach(
        (name, number) -> {
          long added = number - counted.getOrDefault(name, 0L);
          if (added > 0) {
            more.put(name, added);
          }
        });
    if (!more.isEmpty()) {
      log.accept("decisions " + more + ", failed expressions " + (failures - failuresCounted));
    }
    counted = decisions;
    failuresCounted = failures;
  }

  @Override
  public void close() {
    counting.cancel(false);
    minutes.shutdown();
    count();
  }
}
