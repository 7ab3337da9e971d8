package dev.holdfast.runtime.internal.instance;

import dev.holdfast.RuntimeOptions;
import dev.holdfast.TimeSource;
import dev.holdfast.runtime.internal.Delays;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.statistics.ExecutionStatus;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Walks over all instances at a coarse tick: evicts the idle ones and reports turns that run too
 * long, and a journal that stands still; remembers which executions there are. That is why a call
 * reads no clock: it only counts its turn, and the walk sees whether the count has moved.
 *
 * <p>An instance is evicted at the earliest {@code idleTimeout} after its last event, and at the
 * latest two ticks later; the tick is an eighth of the shortest idle time, or less.
 *
 * <p>The walk runs on a separate thread, one at a time.
 */
public final class Sweeper {

  private final EngineParts parts;
  private final Collection<Instances> namespaces;
  private final Duration turnWarning;
  private final long tickNanos;
  private final JournalWatch journalWatch;
  private final SaveWatch saveWatch;
  private final ExecutionWatch executionWatch;
  private final AtomicBoolean walking = new AtomicBoolean();

  private volatile long tick;
  private volatile boolean stopped;
  private volatile TimeSource.@Nullable Timer timer;

  /** Turns that ran at the last walk. Confined to the walk. */
  private Map<Instance, RunningTurn> running = new HashMap<>();

  /** A turn as the walk found it first. */
  private record RunningTurn(long turnCount, long firstTick, boolean reported) {}

  /**
   * Creates a sweeper; {@link #start} it.
   *
   * @param parts what instances share
   * @param namespaces what to walk over
   * @param options when turns, syncs and saves are too slow
   */
  public Sweeper(EngineParts parts, Collection<Instances> namespaces, RuntimeOptions options) {
    this.parts = parts;
    this.namespaces = List.copyOf(namespaces);
    this.turnWarning = options.turnWarning();
    Duration stalledMax = options.health().journalStalledMax();
    long shortest =
        Math.max(
            1,
            Math.min(
                    Math.min(Delays.nanosOf(turnWarning), Delays.nanosOf(stalledMax)),
                    Delays.nanosOf(options.health().executionMax()))
                / RuntimeBounds.LOOKS_IN_TURN_WARNING);
    for (Instances each : namespaces) {
      shortest =
          Math.min(
              shortest,
              Delays.nanosOf(each.options().idleTimeout()) / RuntimeBounds.LOOKS_IN_IDLE_TIME);
    }
    this.tickNanos = Math.max(Duration.ofMillis(1).toNanos(), shortest);
    this.journalWatch = new JournalWatch(parts, stalledMax, ticksIn(stalledMax));
    this.saveWatch = new SaveWatch(parts, options.health().saveLateMax());
    this.executionWatch = new ExecutionWatch(parts, this.namespaces);
  }

  /** Starts walking. All sweepers of a process tick at the same time: a node has one a shard. */
  public void start() {
    long sinceTick = Math.floorMod(parts.time().monotonicNanos(), tickNanos);
    timer = parts.time().schedule(tickNanos - sinceTick, this::tick);
  }

  /** Ends walking; a walk that has begun finishes. */
  public void stop() {
    stopped = true;
    TimeSource.Timer scheduled = timer;
    if (scheduled != null) {
      scheduled.cancel();
    }
  }

  /** {@return whether the journal stands still, as of the last walk; takes no lock} */
  public boolean isJournalStalled() {
    return journalWatch.isStalled();
  }

  /** Ends a stall of the journal that no walk will see end. */
  public void journalClosed() {
    journalWatch.close();
  }

  /** {@return how long the journal has made nothing durable while records wait; else 0} */
  public long journalStalledNanos() {
    return journalWatch.stalledNanos();
  }

  /** {@return how long the oldest requested save has waited or run; 0 if there is none} */
  public long saveLateNanos() {
    return saveWatch.lateNanos();
  }

  /**
   * {@return the executions that have run longer than a limit, as of the last walk, the oldest
   * first}
   *
   * @param max the limit
   */
  public List<ExecutionStatus> longerThan(Duration max) {
    return executionWatch.longerThan(max);
  }

  /**
   * {@return the executions that there are now, the oldest first}
   *
   * @param age only those that have run as long
   * @param withStacks whether to take the stacks of their threads
   */
  public List<ExecutionStatus> executions(Duration age, boolean withStacks) {
    return executionWatch.executions(age, withStacks);
  }

  private void tick() {
    if (stopped) {
      return;
    }
    start();
    long now = tick + 1;
    tick = now;
    if (walking.compareAndSet(false, true)) {
      boolean started = false;
      try {
        parts.start(this::walk);
        started = true;
      } finally {
        if (!started) {
          walking.set(false); // else there would be no walk any more
        }
      }
    }
  }

  private void walk() {
    try {
      long now = tick;
      journalWatch.look(now);
      saveWatch.look();
      Map<Instance, RunningTurn> stillRunning = new HashMap<>();
      ExecutionWatch.Look look = executionWatch.look();
      for (Instances each : namespaces) {
        long idleTicks = ticksIn(each.options().idleTimeout());
        each.forEach(
            instance -> {
              look.at(instance);
              visit(instance, now, idleTicks, stillRunning);
            });
      }
      look.end();
      running = stillRunning;
      parts.backends().values().forEach(this::reportSharedNames);
    } finally {
      walking.set(false);
    }
  }

  private void reportSharedNames(StorageBackend backend) {
    for (ObjectKey each : backend.catalog().takeSharedNames()) {
      parts.report(
          LogEvent.NAME_SHARED,
          each,
          () ->
              "The object "
                  + each.namespace()
                  + "/"
                  + each.id().toDisplayString()
                  + " has come into being, and another object has its name in another slot. Name"
                  + " and slot together name an object: ask for it by idFromName(name, near) or by"
                  + " idFromName(name), always alike. ObjectNamespace.list shows both.",
          null);
    }
  }

  private void visit(
      Instance instance, long now, long idleTicks, Map<Instance, RunningTurn> stillRunning) {
    long turnCount = instance.turn().turnCount();
    Execution current = instance.turn().holder();
    if (current != null) {
      instance.seenTick = now;
      stillRunning.put(instance, watch(instance, turnCount, now));
    } else if (turnCount != instance.seenTurnCount || instance.seenTick == 0) {
      instance.seenTick = now;
    } else if (now - instance.seenTick >= idleTicks && !instance.evictIfIdle()) {
      // Something keeps it; its idle time begins again.
      instance.seenTick = now;
    }
    instance.seenTurnCount = turnCount;
  }

  private RunningTurn watch(Instance instance, long turnCount, long now) {
    RunningTurn before = running.get(instance);
    if (before == null || before.turnCount() != turnCount) {
      return new RunningTurn(turnCount, now, /* reported= */ false);
    }
    if (before.reported() || now - before.firstTick() < ticksIn(turnWarning)) {
      return before;
    }
    report(instance.turn());
    return new RunningTurn(turnCount, before.firstTick(), /* reported= */ true);
  }

  private void report(Turn turn) {
    Execution current = turn.holder();
    if (current == null) {
      return;
    }
    Throwable stack = new Throwable("Stack of the thread that runs the turn:");
    stack.setStackTrace(current.stackTrace());
    parts.report(
        LogEvent.TURN_SLOW,
        turn.key(),
        () ->
            "A turn of "
                + turn.key()
                + " has run for more than "
                + turnWarning
                + "; every other event of the object waits for it.",
        stack);
  }

  private long ticksIn(Duration duration) {
    return Math.ceilDiv(Delays.nanosOf(duration), tickNanos);
  }
}
