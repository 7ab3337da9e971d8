package dev.holdfast.benchmarks.soak;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.OpenLoop;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Callers that call at a fixed rate, whatever the answers take: the time of a call counts from the
 * moment at which it was due. Caches are small, so that the data is many times as large.
 */
final class Load implements AutoCloseable {

  /**
   * Calls a second of all callers: about a tenth of what two processors can do with cold objects.
   */
  static final int RATE = 1_500;

  /** Objects whose database stays open, and whose values are in memory. */
  static final int CACHED_OBJECTS = 64;

  private static final int CALLERS = 32;
  private static final int KEYS = 20;
  private static final int VALUE_BYTES = 800;

  /** Short, so that the journal reaches its size within the run. */
  private static final Duration WINDOW = Duration.ofSeconds(20);

  private final ObjectRuntime runtime;
  private final List<ObjectNamespace<Account>> namespaces;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final OpenLoop loop = new OpenLoop(CALLERS, RATE, this::caller);
  private volatile int objects;

  private Load(ObjectRuntime runtime) {
    this.runtime = runtime;
    this.namespaces =
        List.of(
            runtime.namespace("sqlite", Account.class),
            runtime.namespace("rocksdb", Account.class));
  }

  static Load open(Path directory) {
    NamespaceOptions options =
        NamespaceOptions.DEFAULT.withRecoveryWindow(WINDOW).withIdleTimeout(WINDOW);
    RuntimeOptions small =
        RuntimeOptions.DEFAULT
            .withOpenDatabasesMax(CACHED_OBJECTS)
            .withValueCacheBytesMax((long) CACHED_OBJECTS * KEYS * VALUE_BYTES);
    return new Load(
        Holdfast.open(
            directory,
            objects -> {
              objects.options(small);
              for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
                objects.namespace(
                    kind.equals(StorageKind.SQLITE) ? "sqlite" : "rocksdb",
                    Account.class,
                    context -> new AccountObject(context, kind),
                    options.withStorage(kind));
              }
            }));
  }

  /** Fills objects up to a number, half of them in each engine; callers choose among them. */
  void grow(int count) {
    try (ExecutorService fillers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = objects; i < count; i++) {
        int number = i;
        fillers.execute(() -> fill(number));
      }
    }
    objects = count;
  }

  private void fill(int number) {
    try {
      SplittableRandom random = new SplittableRandom(number);
      byte[][] values = new byte[KEYS][];
      for (int key = 0; key < KEYS; key++) {
        values[key] = value(random);
      }
      account(number).fill(values);
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  void start() {
    loop.start();
  }

  private ClosedLoop.Call caller(int number) {
    SplittableRandom random = new SplittableRandom(number);
    return () -> call(random);
  }

  /** One call, chosen so that the size of the data stays what it is. */
  private void call(SplittableRandom random) {
    Account account = account(random.nextInt(objects));
    int key = random.nextInt(KEYS);
    int choice = random.nextInt(1_000);
    if (choice < 450) {
      account.get(key);
    } else if (choice < 850) {
      account.put(key, value(random));
    } else if (choice < 950) {
      account.log(value(random));
    } else if (choice < 998) {
      account.remind(key);
    } else {
      account.clear();
    }
  }

  private Account account(int number) {
    return namespaces.get(number % namespaces.size()).getByName("account" + number);
  }

  private static byte[] value(SplittableRandom random) {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    return value;
  }

  /**
   * {@return the latencies since the last call, in nanoseconds}
   *
   * @throws IllegalStateException if a call has failed
   */
  Histogram takeLatencies() {
    Throwable e = failure.get();
    if (e != null) {
      throw new IllegalStateException("An object could not be filled", e);
    }
    return loop.takeLatencies();
  }

  @Override
  public void close() {
    loop.close();
    runtime.close();
  }
}
