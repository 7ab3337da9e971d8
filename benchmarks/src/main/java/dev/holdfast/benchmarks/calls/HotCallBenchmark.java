package dev.holdfast.benchmarks.calls;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.filter.OutgoingCall;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The overhead of the engine for a call: an idle object, one caller, object code that reads or
 * changes a field. No storage is touched, so no journal, disk or backend takes part.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1) // the second iteration is already steady; the rest is margin
@Measurement(iterations = 5, time = 1)
@Fork(3) // one JVM may be lucky with inlining
public class HotCallBenchmark {

  private final ObjectRuntime runtime = open(_ -> {});
  private final ObjectRuntime filtered =
      open(objects -> objects.filter("memory", DeliveredCall::proceed));
  private final ObjectRuntime filteredOutside =
      open(objects -> objects.outgoing("memory", OutgoingCall::proceed));
  private final Memory stub;
  private final Memory filteredStub;
  private final Memory stubFilteredOutside;
  private final Memory relay;
  private final Memory plain = new MemoryObject();

  /** The interface of the measured object. */
  public interface Memory {

    /** Reads a field. */
    long read();

    /** Changes a field, with an argument that is boxed on the way. */
    long add(long delta);
  }

  private static final class MemoryObject implements Memory {
    private long value;

    @Override
    public long read() {
      return value;
    }

    @Override
    public long add(long delta) {
      value += delta;
      return value;
    }
  }

  private static final class RelayObject implements Memory {
    private final Memory next;

    RelayObject(Memory next) {
      this.next = next;
    }

    @Override
    public long read() {
      return next.read();
    }

    @Override
    public long add(long delta) {
      return next.add(delta);
    }
  }

  /** Opens the runtimes. */
  public HotCallBenchmark() {
    stub = hot(runtime, "memory");
    relay = hot(runtime, "relay");
    filteredStub = hot(filtered, "memory");
    stubFilteredOutside = hot(filteredOutside, "memory");
  }

  private static ObjectRuntime open(Consumer<ObjectRegistrar> filters) {
    InMemoryJournal journal = new InMemoryJournal();
    return new EngineBuilder(
            objects ->
                filters.accept(
                    objects
                        .namespace("memory", Memory.class, _ -> new MemoryObject())
                        .namespace(
                            "relay",
                            Memory.class,
                            context ->
                                new RelayObject(
                                    context
                                        .namespace("memory", Memory.class)
                                        .getByName("behind")))))
        .backend(StorageKind.SQLITE, new InMemoryBackend(journal))
        .open(journal, new SystemTimeSource(), new SplittableRandom(1));
  }

  private static Memory hot(ObjectRuntime runtime, String namespace) {
    return runtime.namespace(namespace, Memory.class).getByName("hot");
  }

  /** Closes the runtimes. */
  @TearDown(Level.Trial)
  public void close() {
    runtime.close();
    filtered.close();
    filteredOutside.close();
  }

  /** The same code called directly: the baseline without the engine. */
  @Benchmark
  public long plainCall() {
    return plain.add(1);
  }

  /** A hot call that only reads memory. */
  @Benchmark
  public long read() {
    return stub.read();
  }

  /** The same through an empty filter in the turn. */
  @Benchmark
  public long readThroughACallFilter() {
    return filteredStub.read();
  }

  /** The same through an empty filter on the caller's side. */
  @Benchmark
  public long readThroughAnOutgoingFilter() {
    return stubFilteredOutside.read();
  }

  /** A hot call with an argument. */
  @Benchmark
  public long add() {
    return stub.add(1);
  }

  /** A call of an object that calls another one: two turns of the first, one of the second. */
  @Benchmark
  public long readThroughAnotherObject() {
    return relay.read();
  }
}
