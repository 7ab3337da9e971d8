package dev.holdfast.runtime.internal.outbox;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Delivers events to one consumer: reads the journal from its place on, calls the handler until it
 * succeeds, records the new place, and waits for the next events. It reads no further before the
 * handler has handled what was read: a slow consumer takes no memory.
 *
 * <p>Everything but the two flags is confined to its thread.
 *
 * @param <T> the type of the events
 */
final class Delivery<T> implements Subscription, Runnable {

  private final ConsumerLedger ledger;
  private final EventLog log;
  private final ConsumerName name;
  private final EventValues values;
  private final Type type;
  private final ConsumerOptions options;
  private final EventHandler<T> handler;
  private final JournalHistory.Reader reader;
  private final CountDownLatch ended = new CountDownLatch(1);

  private volatile boolean stopped;

  /** Given when there may be events to read; replaced each time before the thread looks. */
  private volatile Signal signal = new Signal();

  /** Given when the pause after a failure ends early. Guarded by the ledger. */
  private Signal pause = new Signal();

  private volatile @Nullable Thread thread;

  // Set before the thread is started.
  private @Nullable ConsumerEntry entry;
  private Runnable whenEnded = () -> {};

  // Confined to the thread.
  private final Deque<Found> found = new ArrayDeque<>();
  private int moves;
  private long scanned;

  /** How many times in a row the delivery from the present place has failed. */
  private int failures;

  /** Whether the handler runs, or has thrown. */
  private boolean handling;

  Delivery(
      ConsumerLedger ledger,
      EventLog log,
      EventValues values,
      ConsumerName name,
      Type type,
      ConsumerOptions options,
      EventHandler<T> handler) {
    this.ledger = ledger;
    this.log = log;
    this.values = values;
    this.name = name;
    this.type = type;
    this.options = options;
    this.handler = handler;
    this.reader = ledger.history().reader();
  }

  /** An event that was read and not handled. */
  private record Found(
      ObjectKey key, long position, int index, long wallMillis, PendingEvent event) {}

  /** The clock of a test knows the wait by this. */
  private static final class Signal implements TimeSource.Wait {
    volatile boolean given;

    @Override
    public boolean isOver() {
      return given;
    }
  }

  // ---- Other threads ------------------------------------------------------------------------

  /** Has the delivery look for events. */
  void wake() {
    signal.given = true;
    LockSupport.unpark(thread);
  }

  /** Has the delivery follow its consumer, which was moved under the lock of the ledger. */
  void moved() {
    pause.given = true; // it was for the place before
    wake();
  }

  /** Ends the delivery after the call of the handler that runs. */
  void stop() {
    stopped = true;
    wake();
  }

  void interrupt() {
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  boolean runsOn(Thread candidate) {
    return candidate.equals(thread);
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  @Override
  public void close() {
    stop();
    if (runsOn(Thread.currentThread())) {
      return;
    }
    boolean interrupted = false;
    while (!hasEnded()) {
      try {
        ended.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- The thread ---------------------------------------------------------------------------

  /** Gives the delivery its consumer; before its thread is started. */
  void begin(ConsumerEntry begun, Runnable atEnd) {
    entry = begun;
    whenEnded = atEnd;
    moves = begun.moves;
    scanned = begun.place.position();
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    ConsumerEntry consumer = entry;
    if (consumer == null) {
      throw new IllegalStateException("The delivery has no consumer.");
    }
    try {
      deliverAll(consumer);
    } catch (JournalFailedException e) {
      // The runtime reports it.
    } finally {
      ledger.end(consumer);
      ended.countDown();
      whenEnded.run();
    }
  }

  private void deliverAll(ConsumerEntry consumer) {
    while (!stopped) {
      Signal next = new Signal();
      signal = next;
      try {
        if (deliverNext(consumer)) {
          failures = 0;
          continue;
        }
        failures = 0;
      } catch (Throwable e) {
        if (e instanceof JournalFailedException failed && !isOfAnotherJournal()) {
          throw failed;
        }
        if (e instanceof ConsumerException reason && ledger.isCutOff(consumer)) {
          cutOff(reason);
          return;
        }
        // Code of the application may throw anything, and the disk may fail: tried again.
        failures++;
        ledger.failed(consumer);
        if (!stopped) {
          pauseUnlessExhausted(e, consumer);
        }
        continue;
      }
      consumer.isIdle = true;
      park(next);
      consumer.isIdle = false;
    }
  }

  /** Whether the failure of a journal came from the handler, which may call other runtimes. */
  private boolean isOfAnotherJournal() {
    return handling && ledger.journal().failure() == null;
  }

  private void park(Signal until) {
    while (!until.given && !stopped) {
      LockSupport.park(until);
      Thread.interrupted(); // an interrupt of the handler that came late
    }
  }

  /** {@return false if there is no event now} */
  private boolean deliverNext(ConsumerEntry consumer) throws Exception {
    handling = false;
    if (moves != consumer.moves) {
      follow(consumer);
    }
    while (found.isEmpty()) {
      if (!read(consumer)) {
        return false;
      }
    }
    List<Event<T>> events = new ArrayList<>();
    for (Found each : found) {
      if (events.size() == options.batchEventsMax() || !isRead(each, events)) {
        break;
      }
    }
    Found first = found.getFirst();
    consumer.deliveringMillis = first.wallMillis();
    // Events that another runtime has delivered since must not follow on later ones.
    OutputGate.awaitOwnership(ledger.journal());
    if (stopped || moves != consumer.moves) {
      consumer.deliveringMillis = Long.MAX_VALUE;
      return true; // looks again
    }
    handling = true;
    handler.handle(List.copyOf(events));
    handling = false;
    Thread.interrupted(); // what the handler has left must not reach the journal
    consumer.deliveringMillis = Long.MAX_VALUE;
    for (int handled = 0; handled < events.size(); handled++) {
      found.removeFirst();
    }
    Found next = found.peekFirst();
    EventPlace place =
        next == null ? new EventPlace(scanned, 0) : new EventPlace(next.position(), next.index());
    ledger.handled(consumer, moves, place, events.size());
    return true;
  }

  /** An operator has moved the consumer. */
  private void follow(ConsumerEntry consumer) {
    synchronized (ledger) {
      moves = consumer.moves;
      scanned = consumer.place.position();
      found.clear();
    }
    failures = 0;
  }

  /** Reads on; false if nothing is left. */
  private boolean read(ConsumerEntry consumer) {
    EventPlace from = consumer.place;
    List<Found> events = new ArrayList<>();
    long next =
        reader.read(
            scanned,
            RuntimeBounds.EVENTS_READ_BYTES,
            ConsumerLedger::isEvents,
            record -> collect(record, from, events));
    if (next == scanned) {
      // Not the other way round: what was just read may be dropped, and what is dropped is not
      // read.
      ledger.requireKept(consumer);
      return false;
    }
    scanned = next;
    found.addAll(events);
    if (found.isEmpty()) {
      ledger.scanned(consumer, moves, scanned);
    }
    return true;
  }

  private void collect(JournalRecord record, EventPlace from, List<Found> target) {
    if (record.key().equals(ConsumerLedger.KEY)) {
      return;
    }
    List<PendingEvent> events;
    try {
      events = EventRecord.decode(record.payload());
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          "Record "
              + record.position()
              + " with events of "
              + record.key()
              + " cannot be read: "
              + e.getMessage()
              + ". It may have been written by a newer version: use that one.",
          e);
    }
    int handled = record.position() == from.position() ? from.index() : 0;
    for (int index = handled; index < events.size(); index++) {
      PendingEvent event = events.get(index);
      if (event.topic().equals(name.topic())) {
        target.add(new Found(record.key(), record.position(), index, record.wallMillis(), event));
      }
    }
  }

  /** Adds an event to those before it; false if it cannot be read, which holds up none of them. */
  private boolean isRead(Found each, List<Event<T>> before) {
    try {
      before.add(decoded(each));
      return true;
    } catch (RuntimeException | Error e) {
      if (before.isEmpty()) {
        throw e;
      }
      return false;
    }
  }

  @SuppressWarnings("unchecked") // the type that the consumer was given
  private Event<T> decoded(Found each) {
    Object read = values.of(each.key().namespace()).decode(each.event().value(), type);
    T value = (T) Objects.requireNonNull(read);
    return new Event<>(
        each.event().topic(),
        each.key().namespace(),
        each.key().id().toString(),
        each.position(),
        each.index(),
        Instant.ofEpochMilli(each.wallMillis()),
        value);
  }

  private void pauseUnlessExhausted(Throwable failure, ConsumerEntry consumer) {
    try {
      pauseAfter(failure, consumer);
    } catch (OutOfMemoryError e) {
      // None for the log, or for a timer. It is tried again at once, and must not end with this.
    }
  }

  private void pauseAfter(Throwable failure, ConsumerEntry consumer) {
    Duration length = pauseLength();
    log.log(
        LogEvent.CONSUMER_FAILED,
        new ObjectKey(name.topic(), ConsumerLedger.KEY.id()),
        () ->
            "The consumer "
                + name
                + " has failed "
                + failures
                + " times in a row"
                + where()
                + ". It is tried again in "
                + length.toMillis()
                + " ms.",
        failure);
    Thread.interrupted(); // of the handler
    Signal over = new Signal();
    synchronized (ledger) {
      if (moves != consumer.moves) {
        return;
      }
      pause = over;
    }
    Thread own = Thread.currentThread();
    ledger
        .time()
        .schedule(
            length.toNanos(),
            () -> {
              over.given = true;
              LockSupport.unpark(own);
            });
    park(over);
  }

  private String where() {
    Found first = found.peekFirst();
    return first == null
        ? ""
        : " with the event at position " + first.position() + ", index " + first.index();
  }

  private Duration pauseLength() {
    Duration length = options.retryMin();
    for (int each = 1; each < failures && length.compareTo(options.retryMax()) < 0; each++) {
      length = length.multipliedBy(2);
    }
    return length.compareTo(options.retryMax()) < 0 ? length : options.retryMax();
  }

  private void cutOff(ConsumerException reason) {
    try {
      handler.cutOff(String.valueOf(reason.getMessage()));
    } catch (Throwable e) {
      // Code of the application may throw anything; the delivery has ended anyway.
      log.warn("The consumer " + name + " has failed when it was cut off.", e);
    }
  }
}
