package dev.holdfast.benchmarks.calls;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.peers.PekkoPeer;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The sides of the comparison of calls that only read memory: objects of Holdfast and actors of
 * Pekko: one, a hot one, a thousand, and a chain of ten.
 *
 * <p>Owned by the thread that opens it.
 */
final class CallSides implements AutoCloseable {

  static final int OBJECTS = 1_000;
  static final int CHAIN_LENGTH = 10;
  static final int CALLERS = 64;

  private final SystemTimeSource time = new SystemTimeSource();
  private final ObjectRuntime runtime = open(time);
  private final PekkoPeer pekko = PekkoPeer.start(OBJECTS, CHAIN_LENGTH);
  private final List<Memory> objects =
      IntStream.range(0, OBJECTS).mapToObj(number -> memory().getByName("m-" + number)).toList();
  private final Memory chain =
      runtime.namespace("links", Memory.class).getByName("l-" + (CHAIN_LENGTH - 1));

  /** An object that reads memory. */
  public interface Memory {

    /** Reads the value. */
    long read();
  }

  /** The called objects and the number of callers. */
  enum Shape {
    /** One object with a single caller. */
    IDLE_OBJECT("idle object, 1 caller", 1, 1),
    /** All callers call the same object. */
    HOT_OBJECT("one hot object, 64 callers", CALLERS, 1),
    /** Callers cycle through their own objects. */
    MANY_OBJECTS("1,000 objects, 64 callers", CALLERS, OBJECTS),
    /** Each of ten objects calls the next. */
    CHAIN("chain of 10, 1 caller", 1, 0);

    final String title;
    final int callers;
    final int objects;

    Shape(String title, int callers, int objects) {
      this.title = title;
      this.callers = callers;
      this.objects = objects;
    }
  }

  private record Side(String name, Plan plan, IntFunction<Call> callers) implements Rounds.Side {

    @Override
    public Measured measure(Duration duration) throws Exception {
      return ClosedLoop.run(plan, duration, callers, () -> 0);
    }
  }

  private static ObjectRuntime open(SystemTimeSource time) {
    InMemoryJournal journal = new InMemoryJournal();
    return new EngineBuilder(
            objects ->
                objects
                    .namespace("memory", Memory.class, _ -> new MemoryObject())
                    .namespace("links", Memory.class, CallSides::link))
        .backend(StorageKind.SQLITE, new InMemoryBackend(journal))
        .closeLast(time)
        .open(journal, time, new SecureRandom());
  }

  private static Memory link(ObjectContext context) {
    String name = context.id().name().orElseThrow();
    int number = Integer.parseInt(name.substring(2));
    if (number == 0) {
      return new MemoryObject();
    }
    Memory next = context.namespace("links", Memory.class).getByName("l-" + (number - 1));
    return () -> next.read() + 1;
  }

  private ObjectNamespace<Memory> memory() {
    return runtime.namespace("memory", Memory.class);
  }

  /**
   * {@return the sides for a shape: Holdfast's first, then Pekko's, each with both kinds of
   * callers}
   */
  List<Rounds.Side> of(Shape shape) {
    List<Rounds.Side> sides = new ArrayList<>();
    for (CallerKind kind : CallerKind.values()) {
      // Every 64th latency: two reads of the clock cost as much as the call itself.
      sides.add(
          new Side(
              "Holdfast, " + name(kind),
              new Plan(shape.callers, kind, 64),
              caller -> ours(shape, caller)));
    }
    for (CallerKind kind : CallerKind.values()) {
      sides.add(
          new Side(
              "Pekko ask, " + name(kind),
              new Plan(shape.callers, kind, 1),
              caller -> theirs(shape, caller)));
    }
    return sides;
  }

  private static String name(CallerKind kind) {
    return switch (kind) {
      case PLATFORM -> "platform threads";
      case VIRTUAL -> "virtual threads";
    };
  }

  private Call ours(Shape shape, int caller) {
    if (shape == Shape.CHAIN) {
      return chain::read;
    }
    Cursor cursor = new Cursor(shape, caller);
    return () -> objects.get(cursor.next()).read();
  }

  private Call theirs(Shape shape, int caller) {
    if (shape == Shape.CHAIN) {
      return () -> pekko.ask(pekko.chain()).toCompletableFuture().join();
    }
    Cursor cursor = new Cursor(shape, caller);
    return () -> pekko.ask(pekko.actor(cursor.next())).toCompletableFuture().join();
  }

  @Override
  public void close() {
    try (pekko) {
      runtime.close();
    }
  }

  /** A caller's cycle through its objects. Owned by the caller. */
  private static final class Cursor {
    private final int first;
    private final int step;
    private final int objects;
    private int at;

    Cursor(Shape shape, int caller) {
      first = caller % shape.objects;
      step = shape.callers;
      objects = shape.objects;
      at = first;
    }

    int next() {
      int result = at;
      at = at + step < objects ? at + step : first;
      return result;
    }
  }

  private static final class MemoryObject implements Memory {
    private final long value = 1;

    @Override
    public long read() {
      return value;
    }
  }
}
