package dev.holdfast.benchmarks.events;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.event.Event;
import dev.holdfast.event.Subscription;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Durable commits with one event each beside commits without, a consumer at full load and one that
 * catches up, and the purge of one object in a long history. {@code -Dholdfast.purge.megabytes=64}
 * makes the history shorter.
 */
public final class EventsTopic implements Topic {

  private static final int CALLERS = 64;
  private static final int OBJECTS = 256;
  private static final int DIGITS = 3;
  private static final int EVENTS_LEFT = 200_000;
  private static final int EVENTS_OF_A_TURN = 1_000;
  private static final int PURGE_MEGABYTES = Integer.getInteger("holdfast.purge.megabytes", 1_024);
  private static final int CHANGES_OF_THE_PURGED = 100;
  private static final int KEEPERS = 16;

  private static final NamespaceOptions NEVER_IDLE =
      NamespaceOptions.DEFAULT.withIdleTimeout(Duration.ofHours(1));

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    try (ObjectRuntime quiet = open(directory.resolve("quiet"));
        ObjectRuntime consumed = open(directory.resolve("consumed"));
        Consumer consumer = new Consumer(consumed)) {
      report.add(
          OBJECTS + " objects, " + CALLERS + " virtual threads",
          rounds.interleave(
              List.of(
                  new Side("durable commit", quiet, Emitter::write),
                  new Side("durable commit with an event", quiet, Emitter::writeAndEmit),
                  new Side(
                      "durable commit with an event, and a consumer",
                      consumed,
                      Emitter::writeAndEmit))));
      report.add(
          "a consumer while " + CALLERS + " threads commit, from the turn to the handler",
          rounds.interleave(List.of(new Delivered(consumer))));
    }
    catchUp(directory.resolve("behind"), report);
    purge(directory.resolve("purge"), report);
  }

  private static ObjectRuntime open(Path data) {
    return Holdfast.open(
        data,
        objects -> objects.namespace("emitters", Emitter.class, EmitterObject::new, NEVER_IDLE));
  }

  private static ObjectNamespace<Emitter> emitters(ObjectRuntime runtime) {
    return runtime.namespace("emitters", Emitter.class);
  }

  /** Callers that each have their own objects. */
  private record Side(String name, ObjectRuntime runtime, BiConsumer<Emitter, Long> turn)
      implements Rounds.Side {

    @Override
    public Measured measure(Duration duration) throws Exception {
      return ClosedLoop.run(
          new Plan(CALLERS, CallerKind.VIRTUAL, 1), duration, this::caller, () -> 0);
    }

    private ClosedLoop.Call caller(int number) {
      List<Emitter> own = new ArrayList<>();
      for (int object = number; object < OBJECTS; object += CALLERS) {
        own.add(emitters(runtime).getByName("o-" + object));
      }
      long[] count = new long[1];
      return () -> turn.accept(own.get((int) (count[0] % own.size())), count[0]++);
    }
  }

  /** Counts events, and how long ago they were emitted. */
  private static final class Consumer implements AutoCloseable {
    final ObjectRuntime runtime;
    private final ConcurrentHistogram delays = new ConcurrentHistogram(DIGITS);
    private final Subscription subscription;

    Consumer(ObjectRuntime runtime) {
      this.runtime = runtime;
      this.subscription = runtime.consume(EmitterObject.TOPIC, "figures", Long.class, this::handle);
    }

    private void handle(List<Event<Long>> events) {
      long now = System.nanoTime();
      events.forEach(event -> delays.recordValue(Math.max(0, now - event.value())));
    }

    @Override
    public void close() {
      subscription.close();
    }
  }

  /** What a consumer gets while objects emit as fast as they can. */
  private record Delivered(Consumer consumer) implements Rounds.Side {

    @Override
    public String name() {
      return "events handled";
    }

    @Override
    public Measured measure(Duration duration) throws Exception {
      consumer.delays.reset();
      long before = System.nanoTime();
      Measured load = new Side("load", consumer.runtime, Emitter::writeAndEmit).measure(duration);
      long nanos = System.nanoTime() - before;
      return new Measured(
          consumer.delays.getTotalCount(),
          nanos,
          load.cpuNanos(),
          0,
          consumer.delays.getValueAtPercentile(50),
          consumer.delays.getValueAtPercentile(99));
    }
  }

  /** A consumer that begins with events of the past; nothing else runs. */
  private static void catchUp(Path data, Report report) throws Exception {
    try (ObjectRuntime runtime = open(data)) {
      for (int turn = 0; turn < EVENTS_LEFT / EVENTS_OF_A_TURN; turn++) {
        emitters(runtime).getByName("o-" + turn % OBJECTS).emit(EVENTS_OF_A_TURN);
      }
      CountDownLatch left = new CountDownLatch(EVENTS_LEFT);
      long cpuBefore = ClosedLoop.processCpuNanos();
      long before = System.nanoTime();
      Subscription running =
          runtime.consume(
              EmitterObject.TOPIC,
              "late",
              Long.class,
              events -> events.forEach(_ -> left.countDown()));
      left.await();
      long nanos = System.nanoTime() - before;
      running.close();
      report.add(
          "a consumer that begins with " + EVENTS_LEFT + " events",
          List.of(
              new Series(
                  "events handled",
                  List.of(
                      new Measured(
                          EVENTS_LEFT,
                          nanos,
                          ClosedLoop.processCpuNanos() - cpuBefore,
                          0,
                          0,
                          0)))));
    }
  }

  /** The records of the object are among the records of others, in each part of the history. */
  private static void purge(Path data, Report report) {
    try (ObjectRuntime runtime = open(data)) {
      int distance = Math.max(1, PURGE_MEGABYTES / CHANGES_OF_THE_PURGED);
      for (int megabyte = 0; megabyte < PURGE_MEGABYTES; megabyte++) {
        emitters(runtime).getByName("keeper-" + megabyte % KEEPERS).fill(megabyte);
        if (megabyte % distance == 0) {
          emitters(runtime).getByName("forgotten").write(megabyte);
        }
      }
      long cpuBefore = ClosedLoop.processCpuNanos();
      long before = System.nanoTime();
      runtime.admin().purgeHistory("emitters", emitters(runtime).idFromName("forgotten")).join();
      long nanos = System.nanoTime() - before;
      report.add(
          "purge of an object with a hundred changes",
          List.of(
              new Series(
                  "in " + PURGE_MEGABYTES + " MB written by others",
                  List.of(
                      new Measured(
                          1, nanos, ClosedLoop.processCpuNanos() - cpuBefore, 0, nanos, nanos)))));
    }
  }
}
