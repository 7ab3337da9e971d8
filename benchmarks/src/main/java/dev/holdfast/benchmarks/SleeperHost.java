package dev.holdfast.benchmarks;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.TimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A runtime of objects that set alarms and write a row when one fires. Its clock can be ahead of
 * the machine's: then alarms of a host before it are due at once, as they are after a downtime.
 *
 * <p>Owned by the thread that opens it.
 */
final class SleeperHost implements AutoCloseable {

  private static final String NAMESPACE = "sleepers";

  private final SystemTimeSource time = new SystemTimeSource();
  private final FiredAlarms fired = new FiredAlarms();
  private final ObjectRuntime runtime;

  /** An object that sets alarms. */
  public interface Sleeper {

    /** Writes a row. */
    void put(long value);

    /** Writes a row and sets the alarm. */
    void putAndSet(long value, Instant time);
  }

  /** Its object. */
  static final class SleeperObject implements Sleeper, AlarmHandler {
    private final ObjectContext context;
    private final FiredAlarms fired;

    SleeperObject(ObjectContext context, FiredAlarms fired) {
      this.context = context;
      this.fired = fired;
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
      // The alarm's time is in milliseconds; the time from it to the start of the handler is the
      // lateness.
      fired.add(Duration.between(alarm.scheduledTime(), Instant.now()).toNanos());
      context.storage().put("row", alarm.scheduledTime().toEpochMilli());
    }
  }

  private SleeperHost(Path directory, NamespaceOptions options, Duration ahead) {
    runtime =
        Holdfast.open(
            directory,
            new TimeAhead(time, ahead.toMillis()),
            objects ->
                objects.namespace(
                    NAMESPACE,
                    Sleeper.class,
                    context -> new SleeperObject(context, fired),
                    options));
  }

  static SleeperHost open(Path directory, StorageKind kind, Duration ahead) {
    return new SleeperHost(directory, NamespaceOptions.DEFAULT.withStorage(kind), ahead);
  }

  /**
   * Opens a host whose objects do not stay in memory: with a million, the garbage collector would
   * be measured.
   */
  static SleeperHost openForMany(Path directory) {
    return new SleeperHost(
        directory,
        NamespaceOptions.DEFAULT
            .withStorage(StorageKind.ROCKSDB)
            .withIdleTimeout(Duration.ofSeconds(1)),
        Duration.ZERO);
  }

  /** {@return the objects} */
  ObjectNamespace<Sleeper> sleepers() {
    return runtime.namespace(NAMESPACE, Sleeper.class);
  }

  /** {@return their alarms} */
  NamespaceAlarms alarms() {
    return sleepers().alarms();
  }

  /** {@return the handlers that have begun} */
  FiredAlarms fired() {
    return fired;
  }

  /** Runs a call for each number, from many callers. */
  interface NumberedCall {
    void make(int number);
  }

  static void each(int callers, int count, NumberedCall call) throws Exception {
    AtomicInteger next = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        ends.add(
            threads.submit(
                () -> {
                  for (int n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                    call.make(n);
                  }
                }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    }
  }

  @Override
  public void close() {
    runtime.close();
    time.close();
  }

  /** The machine's clocks, the wall clock set forward. */
  private record TimeAhead(TimeSource real, long aheadMillis) implements TimeSource {

    @Override
    public long wallMillis() {
      return real.wallMillis() + aheadMillis;
    }

    @Override
    public long monotonicNanos() {
      return real.monotonicNanos();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      return real.schedule(delayNanos, task);
    }
  }
}
