package dev.holdfast.alarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.AlarmOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmTarget;
import dev.holdfast.spi.AlarmTarget.Outcome;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Alarms that the engine could not run. */
final class DispatcherTest {

  private static final String NAMESPACE = "n";

  private final AtomicInteger threads = new AtomicInteger();

  /** The number of the thread that cannot be created, counted from one; zero for none. */
  private int missingThread;

  private final VirtualClock clock =
      new VirtualClock(
          VirtualClock.DEFAULT_START, VirtualClock.DEFAULT_CLOSE_TIMEOUT, this::newThread);
  private final List<Long> firedAfterSeconds = Collections.synchronizedList(new ArrayList<>());

  private final AtomicBoolean storageIsStuck = new AtomicBoolean();
  private final Predicate<ObjectKey> isOpening = _ -> storageIsStuck.get();
  private int objects = 1;

  /** Receives each thread before it is started. */
  private Consumer<Thread> started = _ -> {};

  /** Whether the index cannot be read, from {@link #memoryEnds} on, nor a timer be set then. */
  private boolean isMemoryShort;

  private final CompletableFuture<Void> memoryEnds = new CompletableFuture<>();

  /** An index with an alarm for each of some objects, all due after a second. */
  private final class DueAfterASecond implements ObjectCatalog {

    private final long dueMillis = clock.wallMillis() + 1_000;
    private final int objects;

    private DueAfterASecond(int objects) {
      this.objects = objects;
    }

    @Override
    public List<ObjectId> objects(ObjectQuery query) {
      return IntStream.range(0, objects).mapToObj(DispatcherTest::key).map(ObjectKey::id).toList();
    }

    @Override
    public Set<String> namespaces() {
      return Set.of();
    }

    @Override
    public ObjectId find(ObjectKey key) {
      return key.id();
    }

    @Override
    public List<AlarmEntry> alarms(AlarmQuery query) {
      if (isMemoryShort) {
        memoryEnds.join();
        throw new OutOfMemoryError("planned");
      }
      return query.after() == null
          ? IntStream.range(0, objects)
              .mapToObj(number -> new AlarmEntry(key(number), AlarmRecord.once("", dueMillis)))
              .toList()
          : List.of();
    }

    @Override
    public long alarmCount(String namespace, AlarmRecord.State state) {
      return objects;
    }

    @Override
    public void onAlarmsChanged(AlarmsListener listener) {}
  }

  /** The clock, with timers that take memory. */
  private final class TimersInMemory implements TimeSource {

    @Override
    public long wallMillis() {
      return clock.wallMillis();
    }

    @Override
    public long monotonicNanos() {
      return clock.monotonicNanos();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      if (memoryEnds.isDone()) {
        throw new OutOfMemoryError("planned");
      }
      return clock.schedule(delayNanos, task);
    }

    @Override
    public Thread newThread(Runnable work) {
      return clock.newThread(work);
    }
  }

  private Thread newThread(Runnable work) {
    if (threads.incrementAndGet() == missingThread) {
      throw new OutOfMemoryError("unable to create a thread");
    }
    Thread thread = Thread.ofVirtual().unstarted(work);
    started.accept(thread);
    return thread;
  }

  private static ObjectKey key(int number) {
    byte[] id = ByteBuffer.allocate(ObjectId.LENGTH_BYTES).putInt(0, number).array();
    return new ObjectKey(NAMESPACE, ObjectId.of(id, null));
  }

  private Alarms alarms() {
    return new Alarms(
        new Alarms.Host(new InMemoryJournal(), new TimersInMemory(), new SplittableRandom(1)),
        Map.of(
            NAMESPACE,
            new Alarms.Namespace(
                new DueAfterASecond(objects), AlarmPolicy.DEFAULT.withJitter(0), isOpening)),
        AlarmOptions.DEFAULT.withRunningMax(1));
  }

  /** Fires the alarm; the n-th attempt has the given outcome. */
  private void fire(IntFunction<Outcome> outcomes) {
    long startMillis = clock.wallMillis();
    try (Alarms alarms = alarms()) {
      AlarmTarget target =
          _ -> {
            firedAfterSeconds.add((clock.wallMillis() - startMillis) / 1_000);
            return outcomes.apply(firedAfterSeconds.size());
          };
      alarms.start(target);
      clock.advance(Duration.ofHours(1));
    }
  }

  @Test
  void alarmThatWasNotDueForAMomentIsRunAllTheSame() {
    // The clock was set back before the engine checked, and forward again afterwards.
    fire(attempt -> attempt < 3 ? Outcome.NOT_DUE : Outcome.DONE);
    assertThat(firedAfterSeconds).containsExactly(1L, 1L, 1L);
  }

  @Test
  void alarmThatCouldNotBeRunIsTriedAgainInTheRhythmOfRetriesWithoutEnd() {
    fire(attempt -> attempt < 10 ? Outcome.UNAVAILABLE : Outcome.DONE);
    assertThat(firedAfterSeconds)
        .containsExactly(1L, 3L, 7L, 15L, 31L, 63L, 127L, 255L, 511L, 1_023L);
  }

  @Test
  void alarmThatIsGoneIsNotTriedAgain() {
    fire(_ -> Outcome.GONE);
    assertThat(firedAfterSeconds).containsExactly(1L);
  }

  /** One handler runs at a time: a slot that is not freed would end all alarms. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void alarmWhoseHandlerGetsNoThreadIsStartedLater() {
    // The first two threads read the index, the third runs the handler.
    missingThread = 3;
    try (Alarms alarms = alarms()) {
      alarms.start(
          _ -> {
            firedAfterSeconds.add(
                (clock.wallMillis() - VirtualClock.DEFAULT_START.toEpochMilli()) / 1_000);
            return Outcome.DONE;
          });
      assertThatExceptionOfType(OutOfMemoryError.class)
          .isThrownBy(() -> clock.advance(Duration.ofHours(1)));
      clock.advance(Duration.ofHours(1));
    }
    assertThat(firedAfterSeconds).containsExactly(11L);
  }

  /** Others are started while a handler is slow, but not while the storage is slow. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void alarmsThatWaitForTheirObjectsToBeOpenedKeepTheirSlots() {
    objects = 50;
    storageIsStuck.set(true);
    CompletableFuture<Outcome> end = new CompletableFuture<>();
    AtomicInteger started = new AtomicInteger();
    try (Alarms alarms = alarms()) {
      alarms.start(
          _ -> {
            started.incrementAndGet();
            Thread thread = Thread.currentThread();
            TimeSource.Wait wait = end::isDone;
            end.whenComplete((_, _) -> LockSupport.unpark(thread));
            while (!wait.isOver()) {
              LockSupport.park(wait);
            }
            return end.join();
          });
      clock.advance(Duration.ofHours(1));
      assertThat(started).hasValue(1);

      storageIsStuck.set(false);
      clock.advance(Duration.ofSeconds(1));
      assertThat(started).hasValueGreaterThan(5);
      end.complete(Outcome.DONE);
    }
  }

  /** Closing waits for a read of the index that has begun, and for no other. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void indexThatGetsNoThreadIsReadLater() {
    missingThread = 1;
    try (Alarms alarms = alarms()) {
      AlarmTarget target =
          _ -> {
            firedAfterSeconds.add(0L);
            return Outcome.DONE;
          };
      assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> alarms.start(target));
      clock.advance(Duration.ofHours(1));
    }
    assertThat(firedAfterSeconds).hasSize(1);
  }

  /** A lock that nobody gives up would hold the close, and every report of a change. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void indexThatCannotBeReadForLackOfMemoryHoldsNoClose() throws InterruptedException {
    isMemoryShort = true;
    List<Thread> readers = Collections.synchronizedList(new ArrayList<>());
    started = readers::add;
    try (Alarms alarms = alarms()) {
      alarms.start(_ -> Outcome.DONE);
      memoryEnds.complete(null);
      for (Thread reader : readers) {
        reader.join();
      }
    }
    assertThat(readers).isNotEmpty();
  }
}
