package dev.holdfast.system.mistakes;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where mistakes are made: a runtime that most of them share, with an object for each, and
 * directories. Mistakes are made one after the other.
 */
final class Host implements AutoCloseable {

  static final String PROBES = "probes";
  static final String PAIRS = "pairs";

  /** A namespace without history, without the right to change tables, and with short statements. */
  static final String PLAIN = "plain";

  /** A namespace whose objects handle alarms. */
  static final String SLEEPERS = "sleepers";

  /** For a line of the log that does not come; a test never waits as long. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  final VirtualClock clock = new VirtualClock();

  private final Path root;
  private final Map<String, Body> bodies = new ConcurrentHashMap<>();
  private final ObjectRuntime runtime;
  private String object = "";
  private int directories;

  Host(Path root) {
    this.root = root;
    NamespaceOptions options = NamespaceOptions.DEFAULT;
    this.runtime =
        Holdfast.open(
            root.resolve("shared"),
            clock,
            objects ->
                objects
                    .namespace(PROBES, Probe.class, this::probe, options.withQueueLengthMax(1))
                    .namespace(SLEEPERS, Probe.class, context -> new Sleeper(probe(context)))
                    .namespace(
                        PLAIN,
                        Probe.class,
                        this::probe,
                        options
                            .withRecoveryWindow(Duration.ZERO)
                            .withSqlLimits(
                                options
                                    .sqlLimits()
                                    .withSchemaChanges(false)
                                    .withStatementStepsMax(1_000_000)))
                    .namespace(
                        PAIRS, Probe.class, this::probe, options.withStorage(StorageKind.ROCKSDB)));
  }

  /** An object that runs code of a mistake. */
  interface Probe {

    /** Runs the code. */
    @Nullable Object run(@Nullable Object argument) throws Exception;
  }

  private record Sleeper(Probe probe) implements Probe, AlarmHandler {

    @Override
    public @Nullable Object run(@Nullable Object argument) throws Exception {
      return probe.run(argument);
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  /** Code of a mistake, in an object. */
  @FunctionalInterface
  interface Body {

    /** Runs in a turn. */
    @Nullable Object run(ObjectContext context, @Nullable Object argument) throws Exception;
  }

  /** Code of a mistake, in an object, without arguments and results. */
  @FunctionalInterface
  interface StorageUse {

    /** Runs in a turn. */
    void run(ObjectStorage storage) throws Exception;
  }

  private Probe probe(ObjectContext context) {
    return argument -> body(context.id()).run(context, argument);
  }

  private Body body(ObjectId id) {
    return Objects.requireNonNull(bodies.get(id.toString()));
  }

  /** Begins the mistake with a title, which names its objects. */
  void begin(String title) {
    object = title;
  }

  ObjectRuntime runtime() {
    return runtime;
  }

  /** {@return the stub of the mistake's own object, which runs a body} */
  ObjectStub<Probe> stub(String namespace, Body body) {
    ObjectNamespace<Probe> found = runtime.namespace(namespace, Probe.class);
    ObjectStub<Probe> stub = found.stub(object);
    bodies.put(stub.id().toString(), body);
    return stub;
  }

  /** Runs code in the mistake's own object. */
  @Nullable Object inside(String namespace, Body body) throws Exception {
    return stub(namespace, body).blocking().run(null);
  }

  /** Uses the storage of the mistake's own object. */
  void storage(StorageUse use) throws Exception {
    storage(PROBES, use);
  }

  void storage(String namespace, StorageUse use) throws Exception {
    inside(
        namespace,
        (context, _) -> {
          use.run(context.storage());
          return null;
        });
  }

  /** {@return a directory that does not exist} */
  Path missing() {
    return root.resolve("mistake-" + ++directories);
  }

  /** {@return an empty directory} */
  Path empty() throws IOException {
    return Files.createDirectory(missing());
  }

  /** {@return a runtime of its own, for registrations and files} */
  static ObjectRuntime open(Path directory, Consumer<ObjectRegistrar> objects) {
    return Holdfast.open(directory, new VirtualClock(), objects);
  }

  /** Opens a runtime in a directory of its own; expects that this fails. */
  void register(Consumer<ObjectRegistrar> objects) {
    open(missing(), objects).close();
  }

  /** Does what is reported in the log. */
  @FunctionalInterface
  interface Deed {

    /** Does it. */
    void run() throws Exception;
  }

  /** {@return the line with an event, and the exception in it} */
  static String logged(LogEvent event, Deed deed) throws Exception {
    LogLines lines = LogLines.of(event);
    try {
      deed.run();
      return lines.first().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } finally {
      lines.close();
    }
  }

  /** {@return a text without what differs from run to run} */
  String stable(String text) {
    return text.replaceAll("\\$\\$Lambda/0x[0-9a-f]+", "\\$\\$Lambda")
        .replaceAll("\\(file:[^)]*\\.jar\\)", "(JAR)")
        .replaceAll("position [0-9]+", "position N")
        .replaceAll("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z", "TIME")
        .replaceAll(root + "/mistake-[0-9]+", "DIR")
        .replace(root.toString(), "DIR")
        .replaceAll("[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}", "BOOKMARK")
        .replaceAll("[0-9a-f]{64}", "ID");
  }

  @Override
  public void close() {
    runtime.close();
  }
}
