package dev.holdfast.runtime;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.runtime.Thing.Script;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A runtime in memory with one namespace of scripted objects. The journal, the backend and the
 * clock are the test's; the runtime is wired with the public builder.
 */
final class Host implements AutoCloseable {

  static final String THINGS = "things";

  final InMemoryJournal journal;
  final InMemoryBackend backend;
  final VirtualClock clock;
  final ObjectRuntime runtime;
  final ThreadFactory threads;
  final LogRecords log = new LogRecords();
  final AtomicInteger created = new AtomicInteger();

  private final List<Script<?>> scripts = new CopyOnWriteArrayList<>();
  private volatile @Nullable Script<?> atCreation;

  private Host(Settings settings) {
    this.journal = settings.journal;
    this.clock = settings.clock;
    this.threads = settings.threads;
    this.backend = new InMemoryBackend(journal);
    backend.recover(journal);
    this.runtime =
        new EngineBuilder(
                objects ->
                    objects
                        .namespace(THINGS, Thing.class, this::create, settings.namespace)
                        .options(settings.options))
            .backend(StorageKind.SQLITE, settings.seenBackend.apply(backend))
            .recovery(settings.recovery)
            .threads(settings.threads)
            .log(log)
            .open(settings.seenJournal.apply(journal), clock, new SplittableRandom(1));
  }

  static Host open() {
    return with().open();
  }

  static Host open(Durability durability) {
    return with().journal(new InMemoryJournal(durability)).open();
  }

  static Settings with() {
    return new Settings();
  }

  /** How a host is made. */
  static final class Settings {
    private InMemoryJournal journal = new InMemoryJournal();
    private VirtualClock clock = new VirtualClock();
    private ThreadFactory threads = Thread.ofVirtual().factory();
    private NamespaceOptions namespace = NamespaceOptions.DEFAULT;
    private RuntimeOptions options = RuntimeOptions.DEFAULT;
    private PointInTimeRecovery recovery = new NoRecovery();
    private UnaryOperator<Journal> seenJournal = UnaryOperator.identity();
    private UnaryOperator<StorageBackend> seenBackend = UnaryOperator.identity();

    /** Puts something between the engine and what it is wired with. */
    Settings seen(UnaryOperator<Journal> asJournal, UnaryOperator<StorageBackend> asBackend) {
      seenJournal = asJournal;
      seenBackend = asBackend;
      return this;
    }

    Settings journal(InMemoryJournal given) {
      journal = given;
      return this;
    }

    Settings scheduler(DeterministicScheduler scheduler) {
      clock = scheduler.clock();
      threads = scheduler.threadFactory();
      return this;
    }

    Settings threads(ThreadFactory given) {
      threads = given;
      return this;
    }

    Settings namespace(NamespaceOptions given) {
      namespace = given;
      return this;
    }

    Settings options(RuntimeOptions given) {
      options = given;
      return this;
    }

    Settings recovery(PointInTimeRecovery given) {
      recovery = given;
      return this;
    }

    Host open() {
      return new Host(this);
    }
  }

  private Thing create(ObjectContext context) throws Exception {
    created.incrementAndGet();
    Thing.State state = new Thing.State();
    Script<?> first = atCreation;
    if (first != null) {
      first.run(state, context);
    }
    return script -> scripts.get(script).run(state, context);
  }

  /** Says what the factory of every further instance does. */
  void atCreation(@Nullable Script<?> script) {
    atCreation = script;
  }

  ObjectNamespace<Thing> things() {
    return runtime.namespace(THINGS, Thing.class);
  }

  ObjectStub<Thing> stub(String name) {
    return things().stub(name);
  }

  ObjectId id(String name) {
    return things().idFromName(name);
  }

  ObjectKey key(String name) {
    return new ObjectKey(THINGS, id(name));
  }

  /** Runs code in an object, on the calling thread. */
  @Nullable Object call(String name, Script<?> script) throws Exception {
    return call(stub(name), script);
  }

  @Nullable Object call(ObjectStub<Thing> stub, Script<?> script) throws Exception {
    return stub.blocking().run(number(script));
  }

  /** Runs code in an object, on the calling thread. */
  @Nullable Object call(String name, int script) throws Exception {
    return stub(name).blocking().run(script);
  }

  /** Runs code in an object, on a thread of its own. */
  @SuppressWarnings("unchecked")
  <R> CompletableFuture<R> async(String name, Script<R> script) {
    int number = number(script);
    return stub(name).async(thing -> (R) thing.run(number));
  }

  /** Runs code in an object, by a blocking call of another thread. */
  RunningCall start(String name, Script<?> script) {
    return start(() -> call(name, script));
  }

  RunningCall start(Callable<?> code) {
    return new RunningCall(threads, code);
  }

  int number(Script<?> script) {
    synchronized (scripts) {
      scripts.add(script);
      return scripts.size() - 1;
    }
  }

  @Override
  public void close() {
    runtime.close();
  }
}
