package dev.holdfast.alarms;

import dev.holdfast.AlarmOptions;
import dev.holdfast.HoldfastException;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmTarget;
import dev.holdfast.spi.AlarmTarget.Outcome;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.TimeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Starts the handlers of alarms that are due: in due order, one at a time for an object, not more
 * at once and not faster than allowed.
 *
 * <p>Alarms are due by the wall clock, which may jump, while timers run by the monotonic one. So a
 * timer is never set for longer than {@link #RECHECK_MILLIS}, and a handler is only started when
 * the wall clock says so.
 *
 * <p>Thread-safe. What is done under the lock is short; the index is read, and handlers run, on
 * threads of their own.
 */
final class Dispatcher implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  /** After a jump of the clock alarms are at most this late. */
  private static final long RECHECK_MILLIS = 10_000;

  /** Entries read at once; twice as many are kept in memory for a namespace. */
  private static final int PAGE = 4_096;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Alarms.Host host;
  private final Map<String, Alarms.Namespace> namespaces;
  private final AlarmRules rules;
  private final int runningMax;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<String, Lane> lanes = new LinkedHashMap<>();
  private final StartRate rate;

  /** Objects with a handler that runs, and their alarms that became due meanwhile. */
  private final Map<ObjectKey, Queue<AlarmEntry>> running = new HashMap<>();

  /** How often an alarm could not be run through no fault of its handler, since it last could. */
  private final Map<ObjectKey, Integer> unavailable = new HashMap<>();

  private volatile @Nullable AlarmTarget target;
  private TimeSource.@Nullable Timer timer;
  private long timerNanos;
  private boolean closed;

  Dispatcher(
      Alarms.Host host,
      Map<String, Alarms.Namespace> namespaces,
      AlarmOptions options,
      AlarmRules rules) {
    this.host = host;
    this.namespaces = namespaces;
    this.rules = rules;
    this.runningMax = Math.min(options.runningMax(), host.time().alarmsAtOnceMax());
    this.rate = new StartRate(options.startsPerSecondMax(), host.time().monotonicNanos());
    namespaces.keySet().stream()
        .sorted()
        .forEach(name -> lanes.put(name, new Lane(name, 2 * PAGE)));
  }

  void start(AlarmTarget firing) {
    lock.lock();
    try {
      target = firing;
      dispatch();
    } finally {
      lock.unlock();
    }
  }

  /** See {@link dev.holdfast.spi.ObjectCatalog.AlarmsListener}. */
  void changed(ObjectKey key, List<AlarmRecord> alarms) {
    lock.lock();
    try {
      Lane lane = lanes.get(key.namespace());
      if (lane == null || closed) {
        return;
      }
      lane.changed(key, alarms);
      Queue<AlarmEntry> waiting = running.get(key);
      if (waiting != null) {
        // What became due behind a handler that runs may be what has just changed.
        waiting.clear();
      }
      AlarmEntry first = lane.first();
      if (first != null && first.key().equals(key)) {
        dispatch();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      if (timer != null) {
        timer.cancel();
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- Under the lock ---------------------------------------------------------------------

  /** Starts what is due, and sets a timer for the rest. */
  private void dispatch() {
    if (closed || target == null) {
      return;
    }
    long nowMillis = host.time().wallMillis();
    lanes.values().forEach(this::readIfNeeded);
    long waitNanos = Long.MAX_VALUE;
    while (running.size() < runningMax) {
      AlarmEntry next = nextDue(nowMillis);
      if (next == null) {
        break;
      }
      Queue<AlarmEntry> behind = running.get(next.key());
      if (behind != null) {
        lane(next).remove(next);
        behind.add(next);
        continue;
      }
      long notBefore = rate.take(host.time().monotonicNanos());
      if (notBefore > 0) {
        waitNanos = notBefore;
        break;
      }
      lane(next).remove(next);
      running.put(next.key(), new ArrayDeque<>(1));
      start(() -> fire(next));
      readIfNeeded(lane(next));
    }
    setTimer(Math.min(waitNanos, nanosToNext(nowMillis)));
  }

  private Lane lane(AlarmEntry entry) {
    return Objects.requireNonNull(lanes.get(entry.key().namespace()), "an alarm without a lane");
  }

  private Alarms.Namespace namespace(String name) {
    return Objects.requireNonNull(namespaces.get(name), "an alarm without a namespace");
  }

  private @Nullable AlarmEntry nextDue(long nowMillis) {
    AlarmEntry next = null;
    for (Lane lane : lanes.values()) {
      AlarmEntry first = lane.first();
      if (first != null
          && first.alarm().dueMillis() <= nowMillis
          && (next == null || first.alarm().dueMillis() < next.alarm().dueMillis())) {
        next = first;
      }
    }
    return next;
  }

  /** How long until something becomes due that is not due now. */
  private long nanosToNext(long nowMillis) {
    long millis = Long.MAX_VALUE;
    for (Lane lane : lanes.values()) {
      AlarmEntry first = lane.first();
      if (first != null && first.alarm().dueMillis() > nowMillis) {
        millis = Math.min(millis, first.alarm().dueMillis() - nowMillis);
      }
    }
    return millis == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : Math.min(millis, RECHECK_MILLIS) * NANOS_PER_MILLI;
  }

  private void setTimer(long delayNanos) {
    if (delayNanos == Long.MAX_VALUE) {
      return;
    }
    long atNanos = host.time().monotonicNanos() + delayNanos;
    if (timer != null) {
      if (timerNanos - atNanos <= 0) {
        return;
      }
      timer.cancel();
    }
    timerNanos = atNanos;
    timer = host.time().schedule(delayNanos, this::timeHasCome);
  }

  private void timeHasCome() {
    lock.lock();
    try {
      timer = null;
      dispatch();
    } finally {
      lock.unlock();
    }
  }

  private void readIfNeeded(Lane lane) {
    if (lane.isReading() || lane.isComplete() || lane.size() > PAGE / 2) {
      return;
    }
    AlarmEntry horizon = lane.horizon();
    lane.beginReading();
    start(() -> read(lane, horizon));
  }

  private void start(Runnable work) {
    host.threads().newThread(host.time().follow(work)).start();
  }

  // ---- On threads of their own ------------------------------------------------------------

  private void read(Lane lane, @Nullable AlarmEntry after) {
    List<AlarmEntry> found = new ArrayList<>();
    boolean done = false;
    try {
      // Whatever was appended before the horizon was moved shows in the index then.
      host.journal().awaitDurable(host.journal().lastPosition());
      found.addAll(
          namespace(lane.namespace)
              .catalog()
              .alarms(
                  new AlarmQuery(
                      lane.namespace, AlarmRecord.State.PENDING, after, Long.MAX_VALUE, PAGE)));
      done = true;
    } catch (HoldfastException | IllegalStateException e) {
      LOG.log(System.Logger.Level.WARNING, "The index of alarms could not be read.", e);
    } finally {
      lock.lock();
      try {
        if (done) {
          lane.endReading(found, found.size() < PAGE);
          dispatch();
        } else {
          lane.failReading(after);
          setTimer(RECHECK_MILLIS * NANOS_PER_MILLI);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private void fire(AlarmEntry entry) {
    Outcome outcome = Outcome.UNAVAILABLE;
    try {
      AlarmTarget firing = target;
      if (firing != null) {
        outcome = firing.fire(entry);
      }
    } finally {
      ended(entry, outcome);
    }
  }

  private void ended(AlarmEntry entry, Outcome outcome) {
    lock.lock();
    try {
      Queue<AlarmEntry> waiting = running.remove(entry.key());
      Lane lane = lane(entry);
      if (waiting != null) {
        waiting.forEach(lane::addBack);
      }
      switch (outcome) {
        case DONE, GONE -> unavailable.remove(entry.key());
        case AGAIN -> {
          unavailable.remove(entry.key());
          // Nothing has changed in the store, so no change was told.
          lane.addBack(entry);
        }
        case NOT_DUE -> {
          unavailable.remove(entry.key());
          // A later time was told in a change; this one waits for the clock.
          if (entry.alarm().dueMillis() > host.time().wallMillis()) {
            lane.addBack(entry);
          }
        }
        case UNAVAILABLE -> tryLater(lane, entry);
      }
      dispatch();
    } finally {
      lock.unlock();
    }
  }

  /** The object keeps the alarm as it is, so the delay is only known here. */
  private void tryLater(Lane lane, AlarmEntry entry) {
    if (closed || host.journal().failure() != null) {
      return;
    }
    int failures = unavailable.merge(entry.key(), 1, Integer::sum);
    long delayMillis = rules.delayMillis(namespace(entry.key().namespace()).policy(), failures);
    host.time()
        .schedule(
            delayMillis * NANOS_PER_MILLI,
            () -> {
              lock.lock();
              try {
                lane.addBack(entry);
                dispatch();
              } finally {
                lock.unlock();
              }
            });
  }
}
