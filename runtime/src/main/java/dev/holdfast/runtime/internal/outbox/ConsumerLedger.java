package dev.holdfast.runtime.internal.outbox;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAccumulator;
import org.jspecify.annotations.Nullable;

/**
 * The consumers of events and their places: a view of the journal without files. A place is a
 * record of the journal, appended after each delivery without waiting for the disk; so it becomes
 * durable with the records around it. A crash goes back to the last durable place, and repeats
 * events after it. Writing the present places again at the end of the journal makes old records
 * superfluous.
 *
 * <p>Segments stay while a consumer needs events of them, even if it only has to repeat them after
 * a crash. A consumer that is too far behind no longer keeps any: it is <em>cut off</em> when the
 * record at its place is gone.
 *
 * <p>Thread-safe. Changes of consumers hold the monitor, also while they append. What the journal
 * asks takes no lock that is held during an append.
 */
public final class ConsumerLedger implements JournalView {

  /** The key of the records about consumers; it belongs to no object. */
  static final ObjectKey KEY =
      new ObjectKey("", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  private final Journal journal;
  private final JournalHistory history;
  private final TimeSource time;
  private final Bounds bounds;
  private final ConcurrentSkipListMap<ConsumerName, ConsumerEntry> entries =
      new ConcurrentSkipListMap<>();

  /** The last position that may have events, since the ledger was made. */
  private final LongAccumulator lastEmitted = new LongAccumulator(Math::max, Journal.START);

  /** How many consumers run. Written under the monitor. */
  private volatile int delivering;

  /** Set before the first consumer runs. */
  private volatile @Nullable EventLog log;

  /**
   * How much is kept for a consumer that is behind.
   *
   * @param bytesMax of the journal
   * @param windowMillis the age of events in milliseconds; 0 for any age
   */
  public record Bounds(long bytesMax, long windowMillis) {}

  /**
   * Creates the ledger. {@link #recover} reads what the journal has.
   *
   * @param journal has the records
   * @param history the records that are kept
   * @param time the clock
   * @param bounds how much is kept
   */
  public ConsumerLedger(Journal journal, JournalHistory history, TimeSource time, Bounds bounds) {
    this.journal = journal;
    this.history = history;
    this.time = time;
    this.bounds = bounds;
  }

  void reportTo(EventLog target) {
    log = target;
  }

  Journal journal() {
    return journal;
  }

  JournalHistory history() {
    return history;
  }

  TimeSource time() {
    return time;
  }

  // ---- As a view ----------------------------------------------------------------------------

  @Override
  public int viewId() {
    return Journal.EVENTS_VIEW_ID;
  }

  @Override
  public void recover(RecoveryLog records) {
    records.forEach(
        (viewId, kind) -> isEvents(viewId, kind),
        record -> {
          if (record.key().equals(KEY)) {
            recover(record);
          }
        });
  }

  static boolean isEvents(int viewId, RecordKind kind) {
    return viewId == Journal.EVENTS_VIEW_ID && kind == RecordKind.CHECKPOINT;
  }

  private void recover(JournalRecord record) {
    ConsumerRecord found;
    try {
      found = ConsumerRecord.decode(record.payload());
    } catch (IllegalArgumentException e) {
      throw new DataDirectoryException(
          Path.of("journal"),
          "Record "
              + record.position()
              + " about a consumer of events cannot be read: "
              + e.getMessage()
              + ". It may have been written by a newer version: use that one",
          e);
    }
    EventPlace place = found.place();
    if (place == null) {
      entries.remove(found.name());
    } else {
      entries.put(found.name(), new ConsumerEntry(found.name(), place, record.position()));
    }
  }

  @Override
  public long lowWaterMark() {
    long mark = Long.MAX_VALUE;
    for (ConsumerEntry entry : entries.values()) {
      mark = Math.min(mark, entry.record);
    }
    return mark;
  }

  /**
   * A consumer that runs and has nothing left to read keeps what its durable place needs, however
   * much that is: its place is renewed when the journal asks for that, so it is never far behind.
   */
  @Override
  public long historyFloor() {
    long floor = Long.MAX_VALUE;
    for (ConsumerEntry entry : entries.values()) {
      long needed = entry.durablePosition(journal.durablePosition());
      if (needed < floor && (entry.isIdle || isKept(needed))) {
        floor = needed;
      }
    }
    return floor;
  }

  /** Events are not purged before every consumer has passed them, as long as they are kept. */
  @Override
  public long purgeFloor() {
    long floor = Long.MAX_VALUE;
    for (ConsumerEntry entry : entries.values()) {
      long needed = entry.durablePosition(journal.durablePosition());
      if (needed < floor && !hasReadAll(entry) && isKept(needed)) {
        floor = needed;
      }
    }
    return floor;
  }

  /** An idle consumer is woken a moment after an event has become durable, or much later. */
  private boolean hasReadAll(ConsumerEntry entry) {
    return entry.isIdle && entry.place.position() > lastEmitted.get();
  }

  private boolean isKept(long position) {
    if (history.bytesFrom(position) > bounds.bytesMax()) {
      return false;
    }
    if (bounds.windowMillis() <= 0) {
      return true;
    }
    long oldestMillis = time.wallMillis() - bounds.windowMillis();
    return history.oldestWallMillis() > oldestMillis || position > history.positionAt(oldestMillis);
  }

  @Override
  public void checkpointBefore(long position) {
    for (ConsumerEntry entry : entries.values()) {
      if (entry.record < position) {
        renew(entry, position);
      }
    }
  }

  /** A consumer that runs looks first how far it can go. */
  private synchronized void renew(ConsumerEntry entry, long position) {
    if (entries.get(entry.name) != entry || entry.record >= position) {
      return;
    }
    write(entry);
    Delivery<?> delivery = entry.delivery;
    if (delivery != null) {
      delivery.wake();
    }
  }

  // ---- Places -------------------------------------------------------------------------------

  /** Writes the place of a consumer; durable with the next records. */
  private void write(ConsumerEntry entry) {
    assert Thread.holdsLock(this);
    EventPlace place = entry.place;
    entry.written(append(new ConsumerRecord(entry.name, place)), place);
  }

  private long append(ConsumerRecord record) {
    return journal.append(RecordKind.CHECKPOINT, viewId(), KEY, record.encode());
  }

  /** {@return a consumer, which begins at its start if it is new, ready to run} */
  ConsumerEntry begin(ConsumerName name, ConsumerStart start, Delivery<?> delivery) {
    ConsumerEntry entry;
    synchronized (this) {
      entry = entries.get(name);
      if (entry == null) {
        entry = add(name, start);
      }
      if (entry.delivery != null) {
        throw new ConsumerException(
            ConsumerException.Reason.RUNNING,
            name.topic(),
            name.name(),
            "The consumer " + name + " runs already. Close its subscription first.");
      }
      requireKept(entry);
      entry.delivery = delivery;
      delivering++;
    }
    boolean durable = false;
    try {
      // The place is durable then. Events that were appended before the turn that emits them could
      // see this consumer are durable, too: the first look finds them.
      journal.awaitDurable(journal.lastPosition());
      durable = true;
    } finally {
      if (!durable) {
        end(entry);
      }
    }
    return entry;
  }

  private ConsumerEntry add(ConsumerName name, ConsumerStart start) {
    assert Thread.holdsLock(this);
    // In the map first: from here on the journal keeps what the consumer needs.
    ConsumerEntry entry = new ConsumerEntry(name, new EventPlace(0, 0), journal.lastPosition() + 1);
    entries.put(name, entry);
    boolean added = false;
    try {
      do {
        entry.place = placeOf(start);
      } while (isCutOff(entry)); // a segment was dropped meanwhile
      write(entry);
      added = true;
    } finally {
      if (!added) {
        entries.remove(name);
      }
    }
    return entry;
  }

  private EventPlace placeOf(ConsumerStart start) {
    return new EventPlace(
        switch (start) {
          case OLDEST -> history.oldestPosition();
          case NOW -> journal.lastPosition() + 1;
        },
        0);
  }

  void end(ConsumerEntry entry) {
    synchronized (this) {
      if (entry.delivery != null) {
        delivering--;
      }
      entry.delivery = null;
      entry.isIdle = false;
      entry.deliveringMillis = Long.MAX_VALUE;
    }
  }

  /**
   * Records that a consumer has handled events.
   *
   * @param moves as they were when the events were read
   * @return false if the consumer was moved meanwhile; nothing was recorded then
   */
  synchronized boolean handled(ConsumerEntry entry, int moves, EventPlace next, int count) {
    if (entry.moves != moves) {
      return false;
    }
    entry.handledEvents += count;
    entry.place = next;
    write(entry);
    return true;
  }

  /** Records that a delivery has failed. */
  synchronized void failed(ConsumerEntry entry) {
    entry.failedDeliveries++;
  }

  /** Records that there is no event for a consumer before a position; not in the journal. */
  synchronized boolean scanned(ConsumerEntry entry, int moves, long position) {
    if (entry.moves != moves) {
      return false;
    }
    if (position > entry.place.position()) {
      entry.place = new EventPlace(position, 0);
    }
    return true;
  }

  // ---- For operators ------------------------------------------------------------------------

  void reset(ConsumerName name, ConsumerStart start) {
    long position;
    synchronized (this) {
      ConsumerEntry entry = entries.get(name);
      if (entry == null) {
        throw new ConsumerException(
            ConsumerException.Reason.UNKNOWN,
            name.topic(),
            name.name(),
            "The data directory knows no consumer "
                + name
                + "; there are "
                + entries.keySet()
                + ".");
      }
      EventPlace before = entry.place;
      boolean moved = false;
      try {
        entry.isIdle = false;
        do {
          entry.place = placeOf(start);
        } while (isCutOff(entry)); // a segment was dropped meanwhile
        write(entry);
        moved = true;
      } finally {
        if (!moved) {
          entry.place = before;
        }
      }
      entry.moves++;
      entry.reported = false;
      position = entry.record;
      Delivery<?> delivery = entry.delivery;
      if (delivery != null) {
        delivery.moved();
      }
    }
    journal.awaitDurable(position);
  }

  boolean remove(ConsumerName name) {
    long position;
    synchronized (this) {
      ConsumerEntry entry = entries.get(name);
      if (entry == null) {
        return false;
      }
      if (entry.delivery != null) {
        throw new ConsumerException(
            ConsumerException.Reason.RUNNING,
            name.topic(),
            name.name(),
            "The consumer " + name + " runs. Close its subscription first.");
      }
      position = append(new ConsumerRecord(name, null));
      entries.remove(name);
    }
    journal.awaitDurable(position);
    return true;
  }

  /** {@return whether the events that a consumer needs next are gone} */
  boolean isCutOff(ConsumerEntry entry) {
    return entry.place.position() < history.oldestPosition();
  }

  /** Reports the loss of events once. */
  void requireKept(ConsumerEntry entry) {
    if (!isCutOff(entry)) {
      return;
    }
    ConsumerName name = entry.name;
    String text =
        "The consumer "
            + name
            + " has handled events up to position "
            + entry.place.position()
            + ", but the journal begins at "
            + history.oldestPosition()
            + ": events between them may be lost for it. Reset it with"
            + " ObjectAdmin.resetConsumer, and rebuild what it has made of the events. To keep more"
            + " for consumers that are behind, raise RuntimeOptions.outboxBytesMax";
    EventLog target = log;
    if (target != null && isFirstReport(entry)) {
      target.log(LogEvent.CONSUMER_CUT_OFF, text + ".", null);
    }
    throw new ConsumerException(
        ConsumerException.Reason.CUT_OFF, name.topic(), name.name(), text + ".");
  }

  private synchronized boolean isFirstReport(ConsumerEntry entry) {
    boolean isFirst = !entry.reported;
    entry.reported = true;
    return isFirst;
  }

  List<ConsumerStatus> statuses() {
    List<ConsumerStatus> statuses = new ArrayList<>();
    long end = journal.durablePosition();
    long oldest = history.oldestPosition();
    long nowMillis = time.wallMillis();
    for (ConsumerEntry entry : entries.values()) {
      EventPlace place = entry.place;
      long sinceMillis = entry.deliveringMillis;
      statuses.add(
          new ConsumerStatus(
              entry.name.topic(),
              entry.name.name(),
              Math.max(1, place.position()),
              entry.isIdle ? 0 : Math.max(0, end + 1 - place.position()),
              sinceMillis == Long.MAX_VALUE ? 0 : Math.max(0, nowMillis - sinceMillis),
              entry.handledEvents,
              entry.failedDeliveries,
              entry.delivery != null,
              place.position() < oldest));
    }
    return statuses;
  }

  /** {@return the consumers that are cut off, for people; empty if none is} */
  List<String> cutOff() {
    List<String> names = new ArrayList<>();
    long oldest = history.oldestPosition();
    for (ConsumerEntry entry : entries.values()) {
      if (entry.place.position() < oldest) {
        names.add(entry.name.toString());
        try {
          requireKept(entry);
        } catch (ConsumerException e) {
          // Reported.
        }
      }
    }
    return names;
  }

  /** Records that a position, or one before it, has events; before they are durable. */
  void emitted(long position) {
    lastEmitted.accumulate(position);
  }

  /** {@return whether a consumer runs, or begins to} */
  boolean isDelivering() {
    return delivering > 0;
  }

  /** Has every consumer that runs look for events. */
  void wakeAll() {
    for (ConsumerEntry entry : entries.values()) {
      Delivery<?> delivery = entry.delivery;
      if (delivery != null) {
        delivery.wake();
      }
    }
  }

  /** {@return what delivers now} */
  List<Delivery<?>> deliveries() {
    List<Delivery<?>> running = new ArrayList<>();
    for (ConsumerEntry entry : entries.values()) {
      Delivery<?> delivery = entry.delivery;
      if (delivery != null) {
        running.add(delivery);
      }
    }
    return running;
  }
}
