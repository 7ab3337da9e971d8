package dev.holdfast.alarms;

import dev.holdfast.AlarmOptions;
import dev.holdfast.HoldfastException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.AlarmTarget;
import dev.holdfast.spi.AlarmTarget.Outcome;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Starts the handlers of alarms that are due: in due order, one at a time for each object, within
 * the limits of concurrency and rate.
 *
 * <p>Alarms are due by the wall clock, which may jump, while timers run by the monotonic one. So a
 * timer is never longer than {@link AlarmBounds#RECHECK_MILLIS}, and a handler is started only when
 * its alarm is due by the wall clock.
 *
 * <p>Thread-safe. Critical sections are short; separate threads read the index and run handlers.
 */
final class Dispatcher implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Alarms.Host host;
  private final Map<String, Alarms.Namespace> namespaces;
  private final AlarmRules rules;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition readingEnded = lock.newCondition();

  // Guarded by lock.
  private final Map<String, NamespaceQueue> queues = new LinkedHashMap<>();
  private final Map<String, AlarmCount> counts = new HashMap<>();
  private final StartRate rate;
  private final Slots slots;
  private final ClockRepair repair;

  /** Objects with a running handler. */
  private final Map<ObjectKey, Running> running = new HashMap<>();

  /**
   * How often in a row an alarm of an object could not be run for a reason other than its handler.
   */
  private final Map<ObjectKey, Integer> unavailable = new HashMap<>();

  /** Alarms that could not be run and wait for their next try outside their namespace queues. */
  private int postponedCount;

  private volatile @Nullable AlarmTarget target;
  private final WakeTimer timer;
  private boolean closed;

  /**
   * A running handler.
   *
   * @param slot the slot it occupies
   * @param behind alarms of its object that became due meanwhile
   */
  private record Running(Slots.Slot slot, Queue<AlarmEntry> behind) {}

  Dispatcher(
      Alarms.Host host,
      Map<String, Alarms.Namespace> namespaces,
      AlarmOptions options,
      AlarmRules rules) {
    this.host = host;
    this.namespaces = namespaces;
    this.rules = rules;
    this.slots = new Slots(options.runningMax(), options.longRunningMax());
    this.rate = new StartRate(options.startsPerSecondMax(), host.time().monotonicNanos());
    namespaces.keySet().stream()
        .sorted()
        .forEach(name -> queues.put(name, new NamespaceQueue(name, 2 * AlarmBounds.PAGE)));
    namespaces.forEach(
        (name, each) ->
            counts.put(
                name,
                new AlarmCount(
                    name,
                    each.catalog().alarmCount(name, AlarmRecord.State.PENDING),
                    each.catalog().alarmCount(name, AlarmRecord.State.ABANDONED))));
    this.timer = new WakeTimer(host.time(), this::timeHasCome);
    this.repair = new ClockRepair(queues.keySet(), AlarmBounds.PAGE);
  }

  void start(AlarmTarget firing) {
    lock.lock();
    try {
      if (closed) {
        return; // held until the runtime was closing
      }
      target = firing;
      repair.start(
          host.time().wallMillis(),
          host.time().monotonicNanos(),
          AlarmBounds.RECHECK_MILLIS * NANOS_PER_MILLI);
      dispatch();
    } finally {
      lock.unlock();
    }
  }

  /** See {@link dev.holdfast.spi.ObjectCatalog.AlarmsListener}. */
  void changed(ObjectKey key, List<AlarmRecord> alarms, List<AlarmRecord> before) {
    lock.lock();
    boolean done = false;
    try {
      NamespaceQueue queue = queues.get(key.namespace());
      AlarmCount count = counts.get(key.namespace());
      if (queue == null || count == null) {
        done = true;
        return;
      }
      try {
        count.changed(key, alarms, before);
      } finally {
        queue.changed(key, alarms);
      }
      if (closed) {
        done = true;
        return;
      }
      Running handler = running.get(key);
      if (handler != null) {
        // An alarm that became due behind a running handler may be the one that has just changed.
        handler.behind().clear();
      }
      AlarmEntry first = queue.first();
      if (first != null && first.key().equals(key)) {
        dispatch();
      }
      done = true;
    } finally {
      leave(done);
    }
  }

  /** Waits until the index page in progress is read: the caller closes the index next. */
  @Override
  public void close() {
    lock.lock();
    try {
      long nowMillis = host.time().wallMillis();
      counts.values().forEach(each -> each.passTo(nowMillis));
      closed = true;
      timer.close();
      while (repair.isReading()
          || queues.values().stream().anyMatch(NamespaceQueue::isReading)
          || counts.values().stream().anyMatch(each -> each.upcoming().isReading())) {
        readingEnded.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Includes alarms that wait for a handler of their object, and not alarms that could not be run
   * and wait for their next try.
   */
  long lateMillis(long nowMillis) {
    lock.lock();
    try {
      long oldest = nowMillis;
      for (NamespaceQueue queue : queues.values()) {
        AlarmEntry first = queue.first();
        if (first != null) {
          oldest = Math.min(oldest, first.alarm().dueMillis());
        }
      }
      for (Running handler : running.values()) {
        for (AlarmEntry waiting : handler.behind()) {
          oldest = Math.min(oldest, waiting.alarm().dueMillis());
        }
      }
      // Alarms that the application holds are not late.
      return closed || target == null ? 0 : nowMillis - oldest;
    } finally {
      lock.unlock();
    }
  }

  /** See {@link Alarms#counts}. */
  AlarmService.Counts counts(String namespace) {
    lock.lock();
    try {
      AlarmCount count = counts.get(namespace);
      if (count == null) {
        return AlarmService.Counts.NONE;
      }
      if (!closed) {
        // The clock is read under the lock: an older time than another caller's starts the count
        // again.
        count.passTo(host.time().wallMillis());
        if (target != null) {
          readIfNeeded(count.upcoming());
        }
      }
      return count.now();
    } finally {
      lock.unlock();
    }
  }

  /** See {@link Alarms#abandoned}. */
  SortedMap<String, Long> abandoned() {
    SortedMap<String, Long> found = new TreeMap<>();
    lock.lock();
    try {
      counts.forEach(
          (name, count) -> {
            if (count.abandoned() > 0) {
              found.put(name, count.abandoned());
            }
          });
    } finally {
      lock.unlock();
    }
    return found;
  }

  // ---- Under the lock ---------------------------------------------------------------------

  /** Starts the handlers that are due, and sets a timer for the rest. */
  private void dispatch() {
    assert lock.isHeldByCurrentThread();
    if (closed || target == null) {
      return;
    }
    boolean done = false;
    try {
      long nowMillis = host.time().wallMillis();
      long nowNanos = host.time().monotonicNanos();
      queues.values().forEach(this::readIfNeeded);
      for (AlarmCount count : counts.values()) {
        count.passTo(nowMillis);
        readIfNeeded(count.upcoming());
      }
      repair.look(nowMillis, nowNanos);
      repairIfNeeded(nowNanos);
      long nanos = Math.min(startDue(nowMillis), nanosToNext(nowMillis));
      timer.wakeWithin(Math.min(nanos, repair.nanosToNext(nowNanos)));
      done = true;
    } finally {
      if (!done) {
        lookAgainSoon();
      }
    }
  }

  /** Gives up the lock, whatever fails: without it no alarm fires, and no close ends. */
  private void leave(boolean done) {
    try {
      if (!done) {
        lookAgainSoon();
      }
    } finally {
      lock.unlock();
    }
  }

  /** After a failure for lack of memory or threads: there may be no other event that retries. */
  private void lookAgainSoon() {
    assert lock.isHeldByCurrentThread();
    timer.wakeWithin(AlarmBounds.RECHECK_MILLIS * NANOS_PER_MILLI);
  }

  /**
   * Starts the handlers that are due; returns the time until more may be started even if no handler
   * ends.
   */
  private long startDue(long nowMillis) {
    assert lock.isHeldByCurrentThread();
    for (AlarmEntry next = nextDue(nowMillis); next != null; next = nextDue(nowMillis)) {
      Running handler = running.get(next.key());
      if (handler != null) {
        // In this order: if memory runs out in the first step, the alarm stays in its queue.
        handler.behind().add(next);
        queue(next).remove(next);
        continue;
      }
      long nowNanos = host.time().monotonicNanos();
      if (postponedCount >= AlarmBounds.POSTPONED_MAX) {
        return Long.MAX_VALUE;
      }
      if (!slots.isFree(nowNanos)) {
        return slots.nanosToFree(nowNanos);
      }
      long notBefore = rate.take(nowNanos);
      if (notBefore > 0) {
        return notBefore;
      }
      startHandler(next, nowNanos);
      readIfNeeded(queue(next));
    }
    return Long.MAX_VALUE;
  }

  private void startHandler(AlarmEntry due, long nowNanos) {
    assert lock.isHeldByCurrentThread();
    assert !running.containsKey(due.key());
    Predicate<ObjectKey> isOpening = namespace(due.key().namespace()).isOpening();
    Slots.Slot slot = slots.take(nowNanos, () -> isOpening.test(due.key()));
    boolean started = false;
    try {
      running.put(due.key(), new Running(slot, new ArrayDeque<>(1)));
      queue(due).remove(due);
      host.time().newThread(() -> fire(due)).start();
      repair.remove(due);
      started = true;
    } finally {
      if (!started) {
        // Otherwise the object would have a handler that never ends.
        running.remove(due.key());
        slots.give(slot);
        queue(due).addBack(due);
      }
    }
  }

  private NamespaceQueue queue(AlarmEntry entry) {
    return Objects.requireNonNull(queues.get(entry.key().namespace()), "an alarm without a queue");
  }

  private Alarms.Namespace namespace(String name) {
    return Objects.requireNonNull(namespaces.get(name), "an alarm without a namespace");
  }

  private @Nullable AlarmEntry nextDue(long nowMillis) {
    assert lock.isHeldByCurrentThread();
    AlarmEntry next = repair.first(running.keySet());
    if (next != null) {
      return next;
    }
    for (NamespaceQueue queue : queues.values()) {
      AlarmEntry first = queue.first();
      if (first != null
          && first.alarm().dueMillis() <= nowMillis
          && (next == null || first.alarm().dueMillis() < next.alarm().dueMillis())) {
        next = first;
      }
    }
    return next;
  }

  /** The time until the next alarm that is not due now becomes due. */
  private long nanosToNext(long nowMillis) {
    long millis = Long.MAX_VALUE;
    for (NamespaceQueue queue : queues.values()) {
      AlarmEntry first = queue.first();
      if (first != null && first.alarm().dueMillis() > nowMillis) {
        millis = Math.min(millis, first.alarm().dueMillis() - nowMillis);
      }
    }
    return millis == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : Math.min(millis, AlarmBounds.RECHECK_MILLIS) * NANOS_PER_MILLI;
  }

  private void timeHasCome() {
    lock.lock();
    try {
      timer.woken();
      dispatch();
    } finally {
      lock.unlock();
    }
  }

  private void readIfNeeded(NamespaceQueue queue) {
    assert lock.isHeldByCurrentThread();
    if (!queue.needsPage()) {
      return;
    }
    AlarmEntry horizon = queue.horizon();
    queue.beginReading();
    startReading(
        queue.namespace,
        horizon,
        page -> () -> queue.endReading(page, page.size() < AlarmBounds.PAGE),
        () -> queue.failReading(horizon));
  }

  private void repairIfNeeded(long nowNanos) {
    assert lock.isHeldByCurrentThread();
    ClockRepair.Page next = repair.beginReading(nowNanos);
    if (next == null) {
      return;
    }
    startReading(
        next.namespace(),
        next.after(),
        page -> {
          List<AlarmEntry> standing =
              ClockRepair.standing(
                  page, rules, namespace(next.namespace()), host.time().wallMillis());
          AlarmEntry last = page.size() < AlarmBounds.PAGE ? null : page.getLast();
          return () -> repair.endReading(standing, last, host.time().monotonicNanos());
        },
        () ->
            repair.failReading(
                host.time().monotonicNanos(), AlarmBounds.RECHECK_MILLIS * NANOS_PER_MILLI));
  }

  /**
   * Reads a page of the index on a separate thread.
   *
   * @param found receives the page; returns the task to run under the lock afterwards
   * @param failed run under the lock instead if there is no page; without it, closing would wait
   */
  private void startReading(
      String namespace,
      @Nullable AlarmEntry after,
      Function<List<AlarmEntry>, Runnable> found,
      Runnable failed) {
    boolean started = false;
    try {
      host.time().newThread(() -> read(namespace, after, found, failed)).start();
      started = true;
    } finally {
      if (!started) {
        failed.run();
      }
    }
  }

  // ---- On their own threads ------------------------------------------------------------

  private void read(
      String namespace,
      @Nullable AlarmEntry after,
      Function<List<AlarmEntry>, Runnable> found,
      Runnable failed) {
    Runnable ended = null;
    try {
      ended = found.apply(page(namespace, after));
    } catch (JournalFailedException e) {
      LOG.log(System.Logger.Level.DEBUG, "The journal has failed; its runtime reports it.", e);
    } catch (HoldfastException | IllegalStateException e) {
      LOG.log(System.Logger.Level.WARNING, "The index of alarms could not be read.", e);
    } finally {
      lock.lock();
      boolean done = false;
      try {
        // Before steps that may fail for lack of a thread: the closing thread waits for this.
        readingEnded.signalAll();
        if (ended == null) {
          failed.run();
        } else {
          ended.run();
          dispatch();
          done = true;
        }
      } finally {
        leave(done);
      }
    }
  }

  /** Contains every record appended before the horizon was moved or the clock was read. */
  private List<AlarmEntry> page(String namespace, @Nullable AlarmEntry after) {
    host.journal().awaitDurable(host.journal().lastPosition());
    return namespace(namespace)
        .catalog()
        .alarms(
            new AlarmQuery(
                namespace, AlarmRecord.State.PENDING, after, Long.MAX_VALUE, AlarmBounds.PAGE));
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
    NamespaceQueue queue = queue(entry);
    boolean done = false;
    try {
      Running handler = running.remove(entry.key());
      if (handler != null) {
        slots.give(handler.slot());
        handler.behind().forEach(queue::addBack);
      }
      switch (outcome) {
        case DONE, GONE -> unavailable.remove(entry.key());
        case AGAIN, NOT_DUE -> {
          unavailable.remove(entry.key());
          // Nothing has changed in the store, so no change was reported. If the clock was set back
          // meanwhile, the alarm may be due again by now.
          queue.addBack(entry);
        }
        case UNAVAILABLE -> tryLater(queue, entry);
      }
      dispatch();
      done = true;
    } finally {
      if (!done) {
        // The alarms of this object are in no queue, and no change will report them: read them
        // again.
        queue.forget();
      }
      leave(done);
    }
  }

  private void takeBack(NamespaceQueue queue, AlarmEntry entry) {
    assert lock.isHeldByCurrentThread();
    queue.addBack(entry);
    if (rules.standsStill(
        entry.alarm(), namespace(queue.namespace).policy(), host.time().wallMillis())) {
      repair.add(entry);
    }
  }

  /** The object keeps the alarm unchanged, so the delay exists only here. */
  private void tryLater(NamespaceQueue queue, AlarmEntry entry) {
    assert lock.isHeldByCurrentThread();
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
              boolean done = false;
              try {
                postponedCount--;
                assert lock.isHeldByCurrentThread();
                takeBack(queue, entry);
                dispatch();
                done = true;
              } finally {
                leave(done);
              }
            });
    postponedCount++; // only now: nothing would undo it if there was no timer
  }
}
