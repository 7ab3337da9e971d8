package dev.holdfast.runtime;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.runtime.Thing.Script;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryHistory;
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
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A runtime in memory with one namespace of scripted objects. The journal, the backend and the
 * clock are the test's; the runtime is wired with the public builder.
 */
public final class Host implements AutoCloseable {

  public static final String THINGS = "things";

  public final InMemoryJournal journal;
  public final InMemoryBackend backend;
  public final VirtualClock clock;
  public final ObjectRuntime runtime;
  public final JournalView consumers;
  public final ThreadFactory threads;
  public final LogRecords log = new LogRecords();
  public final AtomicInteger created = new AtomicInteger();

  private final List<Script<?>> scripts = new CopyOnWriteArrayList<>();
  private volatile @Nullable Script<?> atCreation;

  private Host(Settings settings) {
    this.journal = settings.journal;
    this.clock = settings.clock;
    this.threads = settings.threads;
    this.backend = new InMemoryBackend(journal);
    backend.recover(journal);
    EngineBuilder builder =
        new EngineBuilder(
            objects ->
                settings.objects.accept(
                    objects
                        .namespace(THINGS, Thing.class, this::create, settings.namespace)
                        .options(settings.options)));
    Journal seen = settings.seenJournal.apply(journal);
    this.consumers = builder.consumers(seen, new InMemoryHistory(journal), clock);
    consumers.recover(journal);
    this.runtime =
        builder
            .backend(StorageKind.SQLITE, settings.seenBackend.apply(backend))
            .recovery(settings.recovery)
            .threads(settings.threads)
            .log(log)
            .open(seen, clock, new SplittableRandom(1));
  }

  public static Host open() {
    return with().open();
  }

  public static Host open(Durability durability) {
    return with().journal(new InMemoryJournal(durability)).open();
  }

  public static Settings with() {
    return new Settings();
  }

  /** {@return what a runtime has that cannot go back} */
  public static PointInTimeRecovery noRecovery() {
    return new NoRecovery();
  }

  /** How a host is made. */
  public static final class Settings {
    private InMemoryJournal journal = new InMemoryJournal();
    private VirtualClock clock = new VirtualClock();
    private ThreadFactory threads = Thread.ofVirtual().factory();
    private NamespaceOptions namespace = NamespaceOptions.DEFAULT;
    private RuntimeOptions options = RuntimeOptions.DEFAULT;
    private Consumer<ObjectRegistrar> objects = _ -> {};
    private PointInTimeRecovery recovery = new NoRecovery();
    private UnaryOperator<Journal> seenJournal = UnaryOperator.identity();
    private UnaryOperator<StorageBackend> seenBackend = UnaryOperator.identity();

    /** Puts something between the engine and what it is wired with. */
    public Settings seen(
        UnaryOperator<Journal> asJournal, UnaryOperator<StorageBackend> asBackend) {
      seenJournal = asJournal;
      seenBackend = asBackend;
      return this;
    }

    public Settings journal(InMemoryJournal given) {
      journal = given;
      return this;
    }

    public Settings scheduler(DeterministicScheduler scheduler) {
      clock = scheduler.clock();
      threads = scheduler.threadFactory();
      return this;
    }

    public Settings threads(ThreadFactory given) {
      threads = given;
      return this;
    }

    public Settings namespace(NamespaceOptions given) {
      namespace = given;
      return this;
    }

    /** Registers filters, or more namespaces. */
    public Settings objects(Consumer<ObjectRegistrar> given) {
      objects = given;
      return this;
    }

    public Settings options(RuntimeOptions given) {
      options = given;
      return this;
    }

    public Settings recovery(PointInTimeRecovery given) {
      recovery = given;
      return this;
    }

    public Host open() {
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
  public void atCreation(@Nullable Script<?> script) {
    atCreation = script;
  }

  public ObjectNamespace<Thing> things() {
    return runtime.namespace(THINGS, Thing.class);
  }

  public ObjectStub<Thing> stub(String name) {
    return things().stub(name);
  }

  public ObjectId id(String name) {
    return things().idFromName(name);
  }

  public ObjectKey key(String name) {
    return new ObjectKey(THINGS, id(name));
  }

  /** Runs code in an object, on the calling thread. */
  public @Nullable Object call(String name, Script<?> script) throws Exception {
    return call(stub(name), script);
  }

  public @Nullable Object call(ObjectStub<Thing> stub, Script<?> script) throws Exception {
    return stub.blocking().run(number(script));
  }

  /** Runs code in an object, on the calling thread. */
  public @Nullable Object call(String name, int script) throws Exception {
    return stub(name).blocking().run(script);
  }

  /** Runs code in an object, on a thread of its own. */
  @SuppressWarnings("unchecked")
  public <R> CompletableFuture<R> async(String name, Script<R> script) {
    int number = number(script);
    return stub(name).async(thing -> (R) thing.run(number));
  }

  /** Runs code in an object, by a blocking call of another thread. */
  public RunningCall start(String name, Script<?> script) {
    return start(() -> call(name, script));
  }

  public RunningCall start(Callable<?> code) {
    return new RunningCall(threads, code);
  }

  public int number(Script<?> script) {
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
