package dev.holdfast.simulation;

import dev.holdfast.AlarmStatus;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.filter.OutgoingCall;
import dev.holdfast.schedules.DeterministicScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Lets some calls of callers that run at once come when the next alarm runs. Time stands still
 * while a thread can run, so without this every call would be over before any alarm fires, and no
 * order would have a call between two steps of a handler.
 *
 * <p>Only the calls of those callers: the thread of the scenario says itself when time passes. One
 * thread runs at a time.
 */
final class Lateness {

  /** One in this many calls is late. */
  private static final int PERIOD = 3;

  /** No call waits longer for an alarm: each timer on the way costs a run some microseconds. */
  private static final Duration MAX = Duration.ofDays(1);

  /** How long after its time an alarm that cannot run, or was deleted, is waited for. */
  private static final Duration SLACK = Duration.ofSeconds(1);

  private final DeterministicScheduler scheduler;
  private final Registered registered;
  private final Map<Thread, ObjectRuntime> callers = new HashMap<>();
  private CountDownLatch nextRun = new CountDownLatch(1);

  /**
   * Creates it.
   *
   * @param scheduler runs the callers
   * @param registered the namespaces
   */
  Lateness(DeterministicScheduler scheduler, Registered registered) {
    this.scheduler = scheduler;
    this.registered = registered;
  }

  /**
   * Lets the calls of a thread be late.
   *
   * @param caller the thread, before its first call
   * @param called the runtime that it calls
   */
  void add(Thread caller, ObjectRuntime called) {
    callers.put(caller, called);
  }

  /** The filter around each call. */
  @Nullable Object filter(OutgoingCall call) throws Throwable {
    ObjectRuntime called = callers.get(Thread.currentThread());
    if (called != null) {
      Optional<Duration> wait = untilNextAlarm(called);
      if (wait.isPresent() && scheduler.choose(PERIOD) == 0) {
        scheduler.sleep(wait.orElseThrow().plus(SLACK), nextRun);
      }
    }
    return call.proceed();
  }

  /** A handler begins: those that are late come now. */
  void alarmRuns() {
    nextRun.countDown();
    nextRun = new CountDownLatch(1);
  }

  private Optional<Duration> untilNextAlarm(ObjectRuntime called) {
    Instant now = scheduler.clock().now();
    return registered.types().entrySet().stream()
        .flatMap(
            each ->
                called
                    .namespace(each.getKey(), each.getValue())
                    .alarms()
                    .pending(Optional.empty(), 1)
                    .items()
                    .stream())
        .map(AlarmStatus::dueTime)
        .min(Comparator.naturalOrder())
        .map(due -> Duration.between(now, due))
        .filter(wait -> wait.isPositive() && wait.compareTo(MAX) <= 0);
  }
}
