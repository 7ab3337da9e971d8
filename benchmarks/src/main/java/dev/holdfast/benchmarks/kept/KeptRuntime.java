package dev.holdfast.benchmarks.kept;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.OpenLoop;
import dev.holdfast.benchmarks.objects.Pairs;
import dev.holdfast.benchmarks.objects.PairsObject;
import dev.holdfast.benchmarks.objects.SleeperHost;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;

/**
 * A runtime as an application opens it, with objects in both storage engines and callers that
 * commit. Owned by the thread that opens it.
 */
final class KeptRuntime implements AutoCloseable {

  static final int VALUE_BYTES = 1024;

  private static final int CALLERS = 64;

  /** Each waits for its own commit: enough that the rate does not depend on a slow sync. */
  private static final int PACED_CALLERS = 512;

  private static final Duration SAMPLE = Duration.ofMillis(20);
  private static final ClosedLoop.Plan LOAD = new ClosedLoop.Plan(CALLERS, CallerKind.VIRTUAL, 1);

  private final ObjectRuntime runtime;

  private KeptRuntime(ObjectRuntime runtime) {
    this.runtime = runtime;
  }

  static KeptRuntime open(Path data, RuntimeOptions options) {
    return new KeptRuntime(
        Holdfast.open(
            data,
            objects -> {
              objects.options(options);
              for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
                objects.namespace(
                    name(kind),
                    Pairs.class,
                    PairsObject::new,
                    NamespaceOptions.DEFAULT.withStorage(kind));
              }
            }));
  }

  private static String name(StorageKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  ObjectRuntime runtime() {
    return runtime;
  }

  /** Writes objects with one pair each, half of them in each engine. */
  void fill(int count) throws Exception {
    List<StorageKind> kinds = List.of(StorageKind.SQLITE, StorageKind.ROCKSDB);
    SleeperHost.each(
        CALLERS,
        count,
        number -> pairs(kinds.get(number % kinds.size()), "o" + number).put("key", value(number)));
  }

  private Pairs pairs(StorageKind kind, String name) {
    ObjectNamespace<Pairs> objects = runtime.namespace(name(kind), Pairs.class);
    return objects.getByName(name);
  }

  /** A value that does not compress. */
  private static byte[] value(int seed) {
    byte[] value = new byte[VALUE_BYTES];
    new SplittableRandom(seed).nextBytes(value);
    return value;
  }

  /** Commits in SQLite, a value each, from 64 callers with an object each. */
  Measured load(Duration duration) throws Exception {
    return ClosedLoop.run(LOAD, duration, caller -> put(caller, VALUE_BYTES), () -> 0);
  }

  private ClosedLoop.Call put(int caller, int valueBytes) {
    Pairs object = pairs(StorageKind.SQLITE, "load-" + caller);
    byte[] value = new byte[valueBytes];
    SplittableRandom random = new SplittableRandom(caller);
    return () -> {
      random.nextBytes(value); // the journal has what differs from the value before
      object.put("key", value);
    };
  }

  /**
   * Commits in SQLite at a rate, a value each, with latencies from the time at which each was due.
   *
   * @param perSecond the rate; less is done if the machine does not reach it
   * @param duration how long
   * @param valueBytes the size of a value
   */
  Measured pacedLoad(int perSecond, Duration duration, int valueBytes) throws Exception {
    Histogram latencies;
    long beginNanos;
    long cpuNanos;
    long elapsedNanos;
    try (OpenLoop loop =
        new OpenLoop(PACED_CALLERS, perSecond, caller -> put(caller, valueBytes))) {
      beginNanos = System.nanoTime();
      cpuNanos = ClosedLoop.processCpuNanos();
      loop.start();
      Thread.sleep(duration);
      elapsedNanos = System.nanoTime() - beginNanos;
      cpuNanos = ClosedLoop.processCpuNanos() - cpuNanos;
      latencies = loop.takeLatencies();
    }
    return new Measured(
        latencies.getTotalCount(),
        elapsedNanos,
        cpuNanos,
        0,
        latencies.getValueAtPercentile(50),
        latencies.getValueAtPercentile(99));
  }

  /**
   * Samples the lag of the archive during a load.
   *
   * @param lagMillis receives the samples
   */
  Measured sampled(List<Double> lagMillis, Callable<Measured> load) throws Exception {
    Thread thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    while (true) {
                      Thread.sleep(SAMPLE);
                      lagMillis.add(runtime.statistics().archive().lagNanos() / 1e6);
                    }
                  } catch (InterruptedException e) {
                    // the end of the round
                  }
                });
    try {
      return load.call();
    } finally {
      thread.interrupt();
      thread.join();
    }
  }

  /** Waits until everything is archived. */
  void awaitArchived() throws InterruptedException {
    while (runtime.statistics().archive().lagNanos() > 0) {
      Thread.sleep(SAMPLE);
    }
  }

  @Override
  public void close() {
    runtime.close();
  }
}
