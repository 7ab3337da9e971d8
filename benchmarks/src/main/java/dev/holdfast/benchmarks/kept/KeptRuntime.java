package dev.holdfast.benchmarks.kept;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.objects.Pairs;
import dev.holdfast.benchmarks.objects.PairsObject;
import dev.holdfast.benchmarks.objects.SleeperHost;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A runtime as an application opens it, with objects in both storage engines and callers that
 * commit. Owned by the thread that opens it.
 */
final class KeptRuntime implements AutoCloseable {

  static final int VALUE_BYTES = 1024;

  private static final int CALLERS = 64;
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
              for (StorageKind kind : StorageKind.values()) {
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
    StorageKind[] kinds = StorageKind.values();
    SleeperHost.each(
        CALLERS,
        count,
        number -> pairs(kinds[number % kinds.length], "o" + number).put("key", value(number)));
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
    return ClosedLoop.run(
        LOAD,
        duration,
        caller -> {
          Pairs object = pairs(StorageKind.SQLITE, "load-" + caller);
          byte[] value = new byte[VALUE_BYTES];
          SplittableRandom random = new SplittableRandom(caller);
          return () -> {
            random.nextBytes(value); // the journal has what differs from the value before
            object.put("key", value);
          };
        },
        () -> 0);
  }

  @Override
  public void close() {
    runtime.close();
  }
}
