package dev.holdfast.alarms;

import dev.holdfast.AlarmOptions;
import dev.holdfast.AlarmStatus;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.health.Health;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.statistics.AlarmStatistics;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A runtime in memory with alarms, whose clock the test controls and which can crash. Confined to
 * the thread that runs the test; other threads may call objects.
 */
final class AlarmHost implements AutoCloseable, AlarmOptions.Listener {

  static final String SLEEPERS = "sleepers";
  static final String DEAF = "deaf";

  final VirtualClock clock = new VirtualClock(VirtualClock.DEFAULT_START, Duration.ofMillis(200));
  final List<String> fired = new CopyOnWriteArrayList<>();
  final List<String> events = new CopyOnWriteArrayList<>();

  /** The logged warnings, each with its exception. */
  final List<String> warnings = new CopyOnWriteArrayList<>();

  private final List<Sleeper.Script> scripts = new CopyOnWriteArrayList<>();
  private final AlarmPolicy policy;
  private final AlarmOptions options;

  InMemoryJournal journal = new InMemoryJournal();
  InMemoryBackend backend;
  private ObjectRuntime runtime;

  /** The code that handlers run after they were recorded. */
  volatile Sleeper.Handler handler = (_, _) -> {};

  /** Whether objects created from now on have a handler. */
  volatile boolean hears = true;

  /** Around every call and alarm. */
  volatile CallFilter filter = DeliveredCall::proceed;

  /** The code that the factory runs first. */
  volatile Sleeper.Script creation = _ -> null;

  AlarmHost() {
    this(AlarmPolicy.DEFAULT.withJitter(0), AlarmOptions.DEFAULT);
  }

  AlarmHost(AlarmPolicy policy, AlarmOptions options) {
    this.policy = policy;
    this.options = options.withListener(this);
    this.backend = new InMemoryBackend(journal);
    this.runtime = open();
  }

  private ObjectRuntime open() {
    backend = new InMemoryBackend(journal);
    backend.recover(journal);
    EngineBuilder engine =
        new EngineBuilder(
            objects ->
                objects
                    .namespace(
                        SLEEPERS,
                        Sleeper.class,
                        context ->
                            hears ? new Hearing(context) : script -> runScript(context, script),
                        NamespaceOptions.DEFAULT.withAlarms(policy))
                    .namespace(DEAF, Sleeper.class, context -> script -> runScript(context, script))
                    .filter(call -> filter.filter(call))
                    .alarms(options));
    Map<String, Alarms.Namespace> namespaces =
        Map.of(
            SLEEPERS,
            new Alarms.Namespace(backend.catalog(), policy, backend::isOpening),
            DEAF,
            new Alarms.Namespace(backend.catalog(), policy, backend::isOpening));
    return engine
        .backend(StorageKind.SQLITE, backend)
        .log(new WarningLog(warnings))
        .alarms(
            new Alarms(
                new Alarms.Host(journal, clock, new SplittableRandom(1)),
                namespaces,
                engine.alarmOptions().withRunningMax(1)))
        .open(journal, clock, new SplittableRandom(1));
  }

  private @Nullable Object runScript(ObjectContext context, int script) throws Exception {
    return scripts.get(script).run(context);
  }

  /** An object with an alarm handler. */
  private final class Hearing implements Sleeper, AlarmHandler {
    private final ObjectContext context;

    Hearing(ObjectContext context) throws Exception {
      this.context = context;
      creation.run(context);
    }

    @Override
    public @Nullable Object run(int script) throws Exception {
      return runScript(context, script);
    }

    @Override
    public void alarm(AlarmInfo info) throws Exception {
      fired.add(
          context.id().name().orElse("?")
              + (info.name().isEmpty() ? "" : ":" + info.name())
              + "@"
              + seconds(info.scheduledTime())
              + (info.isRetry() ? "#" + info.retryCount() : "")
              + (clock.now().isBefore(info.scheduledTime()) ? " early" : ""));
      handler.alarm(context, info);
    }
  }

  @Override
  public void failed(String namespace, AlarmStatus alarm, Throwable failure) {
    events.add("failed " + alarm.id().name().orElse("?") + "#" + alarm.retryCount());
  }

  @Override
  public void abandoned(String namespace, AlarmStatus alarm, Throwable failure) {
    events.add("abandoned " + alarm.id().name().orElse("?") + "#" + alarm.retryCount());
  }

  @Override
  public void superseded(String namespace, AlarmStatus alarm, Throwable failure) {
    events.add(
        "superseded " + alarm.id().name().orElse("?") + "@" + seconds(alarm.scheduledTime()));
  }

  /** Resets an object, as operators do. */
  boolean reset(String name) {
    return runtime.admin().reset(SLEEPERS, sleepers().idFromName(name));
  }

  Health health() {
    return runtime.health();
  }

  /** {@return the numbers of the sleepers} */
  AlarmStatistics alarmStatistics() {
    return Objects.requireNonNull(runtime.statistics().namespaces().get(SLEEPERS)).alarms();
  }

  ObjectNamespace<Sleeper> sleepers() {
    return runtime.namespace(SLEEPERS, Sleeper.class);
  }

  /** Runs code in an object. */
  @Nullable Object call(String name, Sleeper.Script script) {
    return call(SLEEPERS, name, script);
  }

  @Nullable Object call(String namespace, String name, Sleeper.Script script) {
    int number;
    synchronized (scripts) {
      scripts.add(script);
      number = scripts.size() - 1;
    }
    try {
      return runtime.namespace(namespace, Sleeper.class).getByName(name).run(number);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  void set(String name, long second) {
    call(
        name,
        context -> {
          context.storage().setAlarm(at(second));
          return null;
        });
  }

  Optional<Long> get(String name) {
    Object second =
        call(name, context -> context.storage().getAlarm().map(AlarmHost::seconds).orElse(null));
    return Optional.ofNullable((Long) second);
  }

  void advance(long seconds) {
    clock.advance(Duration.ofSeconds(seconds));
  }

  List<String> takeFired() {
    clock.advance(Duration.ZERO);
    List<String> taken = List.copyOf(fired);
    fired.clear();
    return taken;
  }

  static Instant at(long second) {
    // The clock begins between two milliseconds; stored times are whole milliseconds.
    return VirtualClock.DEFAULT_START.truncatedTo(ChronoUnit.MILLIS).plusSeconds(second);
  }

  static long seconds(Instant time) {
    return Duration.between(at(0), time).toSeconds();
  }

  /** Ends the process and starts it again over what is durable. */
  void crash() {
    crash(() -> {});
  }

  /**
   * Ends the process and starts it again over what is durable.
   *
   * @param meanwhile the code to run before it starts
   */
  void crash(Runnable meanwhile) {
    InMemoryJournal left = journal.crash();
    runtime.close();
    meanwhile.run();
    journal = left;
    runtime = open();
  }

  /** Ends the process, lets time pass, and starts it again. */
  void downFor(long seconds) {
    runtime.close();
    journal = journal.crash();
    advance(seconds);
    runtime = open();
  }

  @Override
  public void close() {
    runtime.close();
  }
}
