package dev.holdfast.benchmarks;

import dev.holdfast.AlarmHandler;
import dev.holdfast.AlarmInfo;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Alarms on RocksDB objects: the cost of setting one beside a put, how late handlers begin at 1,000
 * alarms a second, how many that write a row are done in a second when all are due at once, and how
 * long a runtime with many pending ones takes to open. Prints its figures itself.
 */
final class AlarmTopic implements Topic {

  private static final int OBJECTS = Integer.getInteger("holdfast.bench.alarms", 100_000);
  private static final int COST_OBJECTS = OBJECTS / 10;
  private static final int LATENESS_ALARMS = 10_000;
  private static final int CALLERS = 64;

  private static final ConcurrentLinkedQueue<Long> LATE_MILLIS = new ConcurrentLinkedQueue<>();
  private static final AtomicInteger FIRED = new AtomicInteger();

  /** An object that sets alarms. */
  public interface Sleeper {

    /**
     * Writes a row.
     *
     * @param value what
     */
    void put(long value);

    /**
     * Writes a row and sets the alarm.
     *
     * @param value what
     * @param time when
     */
    void putAndSet(long value, Instant time);
  }

  private static final class SleeperObject implements Sleeper, AlarmHandler {
    private final ObjectContext context;

    SleeperObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void put(long value) {
      context.storage().put("row", value);
    }

    @Override
    public void putAndSet(long value, Instant time) {
      context.storage().put("row", value);
      context.storage().setAlarm(time);
    }

    @Override
    public void alarm(AlarmInfo alarm) {
      LATE_MILLIS.add(Duration.between(alarm.scheduledTime(), Instant.now()).toMillis());
      context.storage().put("row", -1L);
      FIRED.incrementAndGet();
    }
  }

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    Instant due;
    try (ObjectRuntime runtime = open(directory)) {
      ObjectNamespace<Sleeper> sleepers = runtime.namespace("sleepers", Sleeper.class);
      Instant never = Instant.now().plus(Duration.ofDays(30));
      each(COST_OBJECTS, number -> sleepers.getByName("c" + number).put(0));
      for (int round = 0; round < rounds.count(); round++) {
        int add = 2 * round + 1;
        long puts =
            each(COST_OBJECTS, number -> sleepers.getByName("c" + number).put(number + add));
        long sets =
            each(
                COST_OBJECTS,
                number ->
                    sleepers
                        .getByName("c" + number)
                        .putAndSet(number + add + 1, never.plusSeconds(add)));
        System.out.printf(
            "put %.1f us, put and setAlarm %.1f us per call, %d callers%n",
            puts / 1e3 / COST_OBJECTS, sets / 1e3 / COST_OBJECTS, CALLERS);
      }
      Instant start = Instant.now().plusSeconds(5);
      each(
          LATENESS_ALARMS,
          number -> sleepers.getByName("l" + number).putAndSet(1, start.plusMillis(number)));
      awaitFired(LATENESS_ALARMS);
      System.out.println("lateness at 1,000 a second: " + percentiles());
      due = Instant.now().plusSeconds(60 + OBJECTS / 2_000);
      each(OBJECTS, number -> sleepers.getByName("d" + number).putAndSet(1, due));
    }
    long openNanos = System.nanoTime();
    try (ObjectRuntime _ = open(directory)) {
      System.out.printf(
          "open with %,d pending: %d ms%n", OBJECTS, (System.nanoTime() - openNanos) / 1_000_000);
      FIRED.set(0);
      while (Instant.now().isBefore(due)) {
        Thread.onSpinWait();
      }
      long startNanos = System.nanoTime();
      awaitFired(OBJECTS);
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      System.out.printf("%,d due at once: %,.0f fired a second%n", OBJECTS, OBJECTS / seconds);
    }
  }

  private static ObjectRuntime open(Path directory) {
    return Holdfast.open(
        directory,
        objects ->
            objects.namespace(
                "sleepers",
                Sleeper.class,
                SleeperObject::new,
                NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  private interface Call {
    void make(int number);
  }

  /** {@return how many nanoseconds the calls took together, each by one of the callers} */
  private static long each(int count, Call call) throws Exception {
    AtomicInteger next = new AtomicInteger();
    long startNanos = System.nanoTime();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Boolean> caller =
          () -> {
            for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
              call.make(i);
            }
            return true;
          };
      List<Future<Boolean>> ends = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        ends.add(callers.submit(caller));
      }
      for (Future<Boolean> end : ends) {
        end.get();
      }
    }
    return System.nanoTime() - startNanos;
  }

  private static void awaitFired(int count) {
    while (FIRED.get() < count) {
      Thread.onSpinWait();
    }
  }

  private static String percentiles() {
    long[] sorted = LATE_MILLIS.stream().mapToLong(Long::longValue).sorted().toArray();
    return "p50 "
        + sorted[sorted.length / 2]
        + " ms, p99 "
        + sorted[sorted.length * 99 / 100]
        + " ms, max "
        + Arrays.stream(sorted).max().orElse(0)
        + " ms";
  }
}
