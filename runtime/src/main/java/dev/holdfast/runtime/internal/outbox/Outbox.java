package dev.holdfast.runtime.internal.outbox;

import dev.holdfast.TimeSource;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ways out of the objects of a runtime; see {@link dev.holdfast.ObjectContext#afterDurable},
 * {@code publish} and {@code emit}. Thread-safe.
 */
public final class Outbox {

  private final Journal journal;
  private final TimeSource time;
  private final EventLog log;
  private final @Nullable ConsumerLedger ledger;
  private final EventValues values;
  private final ActionQueues actions;
  private final Listeners listeners;
  private final @Nullable Relay relay;
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

  /** The thread that closes the runtime; null before. */
  private volatile @Nullable Thread closing;

  /** Takes the events that objects publish, in the place of the listeners of the runtime. */
  @FunctionalInterface
  public interface Relay {

    /**
     * Passes an event on. Called as the listeners are: the events of one object one after the
     * other, each when its turn is durable.
     *
     * @param key the object
     * @param topic the topic
     * @param value the encoded event
     */
    void publish(ObjectKey key, String topic, byte[] value);
  }

  /**
   * Creates it.
   *
   * @param journal makes turns durable
   * @param time the clock
   * @param log receives failures
   * @param threads makes the threads of actions
   * @param ledger knows the consumers; null if the runtime has none
   * @param values reads events with the codecs of their namespace
   * @param relay takes what objects publish; null for the listeners of this runtime
   */
  public Outbox(
      Journal journal,
      TimeSource time,
      EventLog log,
      ThreadFactory threads,
      @Nullable ConsumerLedger ledger,
      EventValues values,
      @Nullable Relay relay) {
    this.values = values;
    this.relay = relay;
    this.journal = journal;
    this.time = time;
    this.log = log;
    this.ledger = ledger;
    this.listeners = new Listeners(log, values);
    this.actions = new ActionQueues(journal, log, threads, this::changed);
    if (ledger != null) {
      ledger.reportTo(log);
    }
  }

  // ---- What turns do ------------------------------------------------------------------------

  /**
   * Checks a topic and encodes an event.
   *
   * @param values how values of the object's namespace are stored
   * @param key the object
   * @param topic the topic
   * @param event the event
   * @return the encoded value
   * @throws StorageLimitException if the topic or the event is too large
   * @throws UncopyableValueException if the event cannot be stored
   */
  public static byte[] encode(StructuredClone values, ObjectKey key, String topic, Object event) {
    Objects.requireNonNull(event, "event");
    String mistake = mistakeIn("topic", topic);
    if (mistake != null) {
      throw new StorageLimitException(key.namespace(), key.id(), mistake);
    }
    byte[] value;
    try {
      value = values.encodeReadable(event);
    } catch (StructuredCloneException e) {
      throw new UncopyableValueException(
          key.namespace(),
          key.id(),
          "The event for topic \"" + topic + "\" cannot be stored: " + e.getMessage(),
          e);
    }
    if (value.length > RuntimeBounds.EVENT_BYTES_MAX) {
      throw new StorageLimitException(
          key.namespace(),
          key.id(),
          "An event cannot be larger than "
              + RuntimeBounds.EVENT_BYTES_MAX
              + " bytes; that for topic \""
              + topic
              + "\" has "
              + value.length
              + ". Store the data in the object, and emit where it is.");
    }
    return value;
  }

  /** {@return what is wrong with a name; null if nothing is} */
  private static @Nullable String mistakeIn(String what, String name) {
    byte[] stored = EventRecord.utf8(name);
    if (stored.length < 1 || stored.length > RuntimeBounds.TOPIC_BYTES_MAX) {
      return "A "
          + what
          + " has 1 to "
          + RuntimeBounds.TOPIC_BYTES_MAX
          + " bytes in UTF-8; this one has "
          + stored.length
          + ".";
    }
    return new String(stored, StandardCharsets.UTF_8).equals(name)
        ? null
        : "A " + what + " must not have a lone surrogate, which UTF-8 cannot express.";
  }

  /**
   * Appends the events of a turn that has no batch.
   *
   * @param key the object
   * @param events their record
   * @return its position
   */
  public long append(ObjectKey key, ByteBuffer events) {
    return journal.append(RecordKind.CHECKPOINT, Journal.EVENTS_VIEW_ID, key, events);
  }

  /**
   * Has the consumers look for events once they are durable.
   *
   * @param position of the record that has events, or a later one
   */
  public void emitted(long position) {
    ConsumerLedger known = ledger;
    if (known == null) {
      return;
    }
    known.emitted(position);
    if (known.isDelivering()) {
      journal.whenDurable(
          position,
          failure -> {
            if (failure == null) {
              known.wakeAll();
            }
          });
    }
  }

  /**
   * Runs an action of an object, after those before it, when a position is durable. Called by the
   * holder of the object's turn.
   *
   * @param key the object
   * @param position what the turn depends on
   * @param action the action
   */
  public void afterDurable(ObjectKey key, long position, Runnable action) {
    actions.add(key, position, action);
  }

  /**
   * Waits until not too many actions of an object wait. Called outside of its turn.
   *
   * @param key the object
   */
  public void awaitRoom(ObjectKey key) {
    actions.awaitRoom(key);
  }

  /**
   * Passes an event to the listeners of its topic.
   *
   * @param key the object
   * @param topic the topic
   * @param value the encoded event
   */
  public void publish(ObjectKey key, String topic, byte[] value) {
    Relay elsewhere = relay;
    if (elsewhere == null) {
      listeners.publish(key, topic, value);
    } else {
      elsewhere.publish(key, topic, value);
    }
  }

  // ---- Receivers ----------------------------------------------------------------------------

  /**
   * Adds a listener; see {@link dev.holdfast.ObjectRuntime#subscribe}.
   *
   * @param <T> the type of the events
   * @param topic the topic
   * @param type the type of the events
   * @param listener receives them
   * @return removes it
   */
  public <T> Subscription subscribe(String topic, Type type, Consumer<? super T> listener) {
    return listeners.add(topic, type, listener);
  }

  static void require(String what, String name) {
    String mistake = mistakeIn(what, name);
    if (mistake != null) {
      throw new IllegalArgumentException(mistake);
    }
  }

  /**
   * Begins to deliver; see {@link dev.holdfast.ObjectRuntime#consume}.
   *
   * @param <T> the type of the events
   * @param topic the topic
   * @param consumer the name of the consumer
   * @param type the type of the events
   * @param options how it receives them
   * @param handler receives them
   * @return ends the deliveries
   */
  public <T> Subscription consume(
      String topic, String consumer, Type type, ConsumerOptions options, EventHandler<T> handler) {
    require("topic", topic);
    require("consumer's name", consumer);
    ConsumerLedger known = ledger();
    ConsumerName name = new ConsumerName(topic, consumer);
    Delivery<T> delivery = new Delivery<>(known, log, values, name, type, options, handler);
    ConsumerEntry entry = known.begin(name, options.start(), delivery);
    boolean started = false;
    try {
      delivery.begin(entry, this::changed);
      Thread thread = time.newThread(delivery);
      thread.setContextClassLoader(loader);
      thread.start();
      started = true;
    } finally {
      if (!started) {
        known.end(entry);
      }
    }
    if (closing != null) {
      delivery.stop(); // the close may not have seen it
    }
    return delivery;
  }

  private ConsumerLedger ledger() {
    if (ledger == null) {
      throw new UnsupportedOperationException("This runtime has no journal to read events from.");
    }
    return ledger;
  }

  /** {@return the consumers, by topic and name} */
  public List<ConsumerStatus> consumers() {
    return ledger == null ? List.of() : ledger.statuses();
  }

  /** {@return the consumers that are cut off, for people; empty if none is} */
  public List<String> cutOff() {
    return ledger == null ? List.of() : ledger.cutOff();
  }

  /**
   * Moves a consumer; see {@link dev.holdfast.ObjectAdmin#resetConsumer}.
   *
   * @param topic its topic
   * @param consumer its name
   * @param start its new place
   */
  public void reset(String topic, String consumer, ConsumerStart start) {
    ledger().reset(new ConsumerName(topic, consumer), start);
  }

  /**
   * Forgets a consumer; see {@link dev.holdfast.ObjectAdmin#removeConsumer}.
   *
   * @param topic its topic
   * @param consumer its name
   * @return whether it was known
   */
  public boolean remove(String topic, String consumer) {
    return ledger().remove(new ConsumerName(topic, consumer));
  }

  // ---- The close ----------------------------------------------------------------------------

  /**
   * Ends the deliveries, before the objects end; handlers that still run after a time are
   * interrupted.
   *
   * @param timeout how long to wait
   */
  public void endDeliveries(Duration timeout) {
    if (ledger == null) {
      return;
    }
    closing = Thread.currentThread();
    List<Delivery<?>> running = ledger.deliveries();
    running.forEach(Delivery::stop);
    running.removeIf(each -> each.runsOn(Thread.currentThread())); // it would wait for itself
    BooleanSupplier over = () -> running.stream().allMatch(Delivery::hasEnded);
    if (!await(over, timeout)) {
      running.forEach(Delivery::interrupt);
      if (!await(over, timeout)) {
        log.warn("Consumers of events still run after an interrupt.", null);
      }
    }
  }

  /**
   * Runs the actions that wait, after the objects have ended. What still waits after a time is
   * dropped.
   *
   * @param timeout how long to wait
   */
  public void endActions(Duration timeout) {
    closing = Thread.currentThread();
    if (!await(actions::isEmptyElsewhere, timeout)) {
      log.warn(
          "Actions after durable turns were dropped, because they took too long when the runtime"
              + " was closed.",
          null);
    }
    actions.abandon();
  }

  private void changed() {
    LockSupport.unpark(closing);
  }

  private boolean await(BooleanSupplier over, Duration timeout) {
    if (over.getAsBoolean()) {
      return true;
    }
    Deadline deadline = new Deadline(Thread.currentThread());
    TimeSource.Timer timer = time.schedule(nanosOf(timeout), deadline);
    boolean interrupted = false;
    while (!over.getAsBoolean() && !deadline.isOver()) {
      LockSupport.park(deadline);
      interrupted |= Thread.interrupted();
    }
    timer.cancel();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return over.getAsBoolean();
  }

  private static long nanosOf(Duration time) {
    return time.compareTo(Duration.ofDays(365)) > 0
        ? Duration.ofDays(365).toNanos()
        : time.toNanos();
  }

  /** The end of a wait of the closing thread; the clock of a test knows it. */
  private static final class Deadline implements Runnable, TimeSource.Wait {
    private final Thread waiting;
    private volatile boolean over;

    Deadline(Thread waiting) {
      this.waiting = waiting;
    }

    @Override
    public boolean isOver() {
      return over;
    }

    @Override
    public void run() {
      over = true;
      LockSupport.unpark(waiting);
    }
  }
}
