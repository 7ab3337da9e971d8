package dev.holdfast.embedded.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.WriteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Random programs of turns on the whole key-value API, with all its options, on both storage
 * engines of one runtime, compared step by step with sorted maps. Between turns objects are reset
 * and evicted, the runtime is closed and opened, and the power is cut, before a turn or in it:
 * afterwards all answered turns are present, and of the others only whole turns.
 *
 * <p>The cache has room for a few values and one connection is open at most, so that the objects of
 * SQLite take it from each other.
 */
class KeyValueApiModelTest {

  private static final Logger LOG = Logger.getLogger("dev.holdfast");
  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int STEPS_MAX = LONG ? 1_000 : 25;
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(8);

  /** Few keys, so that operations collide; all of them difficult in some way. */
  private static final List<String> KEYS =
      List.of(
          "",
          "\0",
          "a",
          "a\0",
          "aa",
          "ab",
          "b",
          "\u007F",
          "\u0080",
          "\uD83D",
          "\uFFFF",
          "\uD83D\uDE00",
          "k".repeat(2_048));

  /** Operations by number: code cannot be passed to an object. */
  private static final Map<Integer, List<Op>> TURNS = new ConcurrentHashMap<>();

  private static final AtomicInteger NEXT_TURN = new AtomicInteger();
  private static final AtomicInteger INSTANCES = new AtomicInteger();

  /** An object whose code is chosen call by call. */
  public interface Subject {

    /** Runs operations in one turn and returns their results; or resets the object at the end. */
    List<String> run(int turn, boolean abort);
  }

  /** Something that happens to the objects. */
  sealed interface Step {

    /** A call. */
    record Turn(Subjects subject, List<Op> ops) implements Step {}

    /** A call that is reset at its end. */
    record Aborted(Subjects subject, List<Op> ops) implements Step {}

    /** Nothing happens for longer than the idle time. */
    record Idle() implements Step {}

    /** The runtime is closed and opened. */
    record Restart() implements Step {}

    /** The power is cut some steps of the disk after the beginning of a call. */
    record Crash(Subjects subject, List<Op> ops, int steps, long seed) implements Step {}
  }

  /** The names of the objects. */
  enum Subjects {
    ONE,
    OTHER
  }

  static final class SubjectObject implements Subject {

    private final ObjectContext context;

    SubjectObject(ObjectContext context) {
      INSTANCES.incrementAndGet();
      this.context = context;
    }

    @Override
    public List<String> run(int turn, boolean abort) {
      List<String> told = new ArrayList<>();
      new OnStorage(context.storage(), context.storage(), told).run(TURNS.get(turn));
      if (abort) {
        throw context.abort("wanted");
      }
      return told;
    }
  }

  @BeforeContainer
  static void silenceWantedFailures() {
    LOG.setLevel(Level.OFF);
  }

  @AfterContainer
  static void reportAgain() {
    LOG.setLevel(null);
  }

  @Property(tries = 20, shrinking = ShrinkingMode.BOUNDED)
  void bothEnginesBehaveLikeASortedMap(@ForAll("programs") List<Step> program) throws Exception {
    Path root = Files.createTempDirectory("key-value-api");
    try (CrashableRuntime running = new CrashableRuntime(root, KeyValueApiModelTest::register)) {
      Program compared = new Program(running);
      for (Step step : program) {
        compared.take(step);
      }
      compared.requireEqual();
    } finally {
      delete(root);
    }
  }

  private static void register(ObjectRegistrar objects) {
    objects.options(RuntimeOptions.DEFAULT.withValueCacheBytesMax(2_048).withOpenDatabasesMax(1));
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      objects.namespace(
          kind.name(),
          Subject.class,
          SubjectObject::new,
          NamespaceOptions.DEFAULT.withStorage(kind).withIdleTimeout(IDLE_TIMEOUT));
    }
  }

  /** A running program, and the expected content of its objects. */
  private static final class Program {

    private final CrashableRuntime running;
    private final Map<Called, ModelledObject> models = new LinkedHashMap<>();

    /** An object. */
    private record Called(StorageKind kind, Subjects subject) {}

    Program(CrashableRuntime running) {
      this.running = running;
      for (Subjects subject : Subjects.values()) {
        for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
          models.put(new Called(kind, subject), new ModelledObject());
        }
      }
    }

    void take(Step step) throws Exception {
      switch (step) {
        case Step.Turn(var subject, var ops) -> onBoth(subject, called -> call(called, ops));
        case Step.Aborted(var subject, var ops) -> onBoth(subject, called -> abort(called, ops));
        case Step.Idle() -> idle();
        case Step.Restart() -> {
          running.restart();
          models.values().forEach(ModelledObject::durable);
        }
        case Step.Crash crash -> crash(crash);
      }
    }

    private void onBoth(Subjects subject, Consumer<Called> work) {
      for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
        work.accept(new Called(kind, subject));
      }
    }

    void requireEqual() {
      models.keySet().forEach(called -> call(called, ModelledObject.readAll()));
    }

    private void call(Called called, List<Op> ops) {
      List<String> told = run(called, ops, false);
      assertThat(told).as("%s", called).isEqualTo(model(called).answered(ops));
    }

    private ModelledObject model(Called called) {
      return models.get(called);
    }

    /** Only the writes of the last turn of the call are undone, so the call must not wait. */
    private void abort(Called called, List<Op> ops) {
      assertThatThrownBy(() -> run(called, ops, true))
          .isInstanceOf(InstanceResetException.class)
          .hasMessageContaining("wanted");
    }

    private void idle() throws InterruptedException {
      requireEqual();
      int instances = INSTANCES.get();
      running.idle(IDLE_TIMEOUT);
      requireEqual();
      assertThat(INSTANCES.get()).as("instances").isEqualTo(instances + models.size());
    }

    private void crash(Step.Crash crash) throws IOException {
      running.cutPowerAfter(crash.steps());
      onBoth(
          crash.subject(),
          called -> {
            try {
              call(called, crash.ops());
            } catch (HoldfastException e) {
              CrashableRuntime.requireOfPowerCut(e);
              model(called).lost(crash.ops());
            }
          });
      running.crash(crash.seed());
      models.forEach(
          (called, model) ->
              model.recovered(run(called, ModelledObject.readAll(), false), called.toString()));
    }

    private List<String> run(Called called, List<Op> ops, boolean abort) {
      int turn = NEXT_TURN.incrementAndGet();
      TURNS.put(turn, ops);
      try {
        return running
            .runtime()
            .namespace(called.kind().name(), Subject.class)
            .getByName(called.subject().name())
            .run(turn, abort);
      } finally {
        TURNS.remove(turn);
      }
    }
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    }
  }

  // ---- Programs -------------------------------------------------------------------------

  @Provide
  Arbitrary<List<Step>> programs() {
    Arbitrary<Subjects> subjects = Arbitraries.of(Subjects.class);
    Arbitrary<List<Op>> turns = ops(2).list().ofMinSize(1).ofMaxSize(8);
    Arbitrary<List<Op>> inOneTurn = simple(false).list().ofMinSize(1).ofMaxSize(5);
    return Arbitraries.<Step>frequencyOf(
            Tuple.of(12, Combinators.combine(subjects, turns).as(Step.Turn::new)),
            Tuple.of(1, Combinators.combine(subjects, inOneTurn).as(Step.Aborted::new)),
            Tuple.of(1, Arbitraries.just(new Step.Idle())),
            Tuple.of(1, Arbitraries.just(new Step.Restart())),
            Tuple.of(
                1,
                Combinators.combine(
                        subjects, turns, Arbitraries.integers().between(0, 8), Arbitraries.longs())
                    .as(Step.Crash::new)))
        .list()
        .ofMinSize(1)
        .ofMaxSize(STEPS_MAX);
  }

  private static Arbitrary<Op> ops(int depth) {
    if (depth == 0) {
      return simple(true);
    }
    Arbitrary<List<Op>> bodies = Arbitraries.lazy(() -> ops(depth - 1)).list().ofMaxSize(5);
    return Arbitraries.frequencyOf(
        Tuple.of(20, simple(true)),
        Tuple.of(1, Arbitraries.just(new Op.Sync())),
        Tuple.of(
            2, Combinators.combine(bodies, Arbitraries.of(Op.End.class)).as(Op.Transaction::new)),
        Tuple.of(
            2,
            Combinators.combine(bodies, Arbitraries.of(false, true)).as(Op.SyncTransaction::new)));
  }

  /** Operations that never wait, unless they may. */
  private static Arbitrary<Op> simple(boolean mayWait) {
    Arbitrary<ReadOptions> reads =
        Combinators.combine(Arbitraries.of(false, mayWait), Arbitraries.of(false, true))
            .as(ReadOptions::new);
    Arbitrary<WriteOptions> writes =
        Combinators.combine(Arbitraries.of(false, true), Arbitraries.of(false, true))
            .as(WriteOptions::new);
    Arbitrary<List<String>> someKeys = keys().list().uniqueElements().ofMaxSize(6);
    return Arbitraries.frequencyOf(
        Tuple.of(6, Combinators.combine(keys(), reads).as(Op.Get::new)),
        Tuple.of(2, Combinators.combine(someKeys, reads).as(Op.GetMany::new)),
        Tuple.of(8, Combinators.combine(keys(), values(), writes).as(Op.Put::new)),
        Tuple.of(
            2,
            Combinators.combine(Arbitraries.maps(keys(), values()).ofMaxSize(6), writes)
                .as(Op.PutMany::new)),
        Tuple.of(3, Combinators.combine(keys(), writes).as(Op.Delete::new)),
        Tuple.of(1, Combinators.combine(someKeys, writes).as(Op.DeleteMany::new)),
        Tuple.of(1, tooManyKeys().map(keys -> new Op.DeleteMany(keys, WriteOptions.DEFAULT))),
        Tuple.of(1, tooManyKeys().map(keys -> new Op.GetMany(keys, ReadOptions.DEFAULT))),
        Tuple.of(1, writes.map(Op.DeleteAll::new)),
        Tuple.of(4, lists(mayWait).map(Op.ListPairs::new)),
        Tuple.of(2, lists(mayWait).map(Op.StreamPairs::new)));
  }

  private static Arbitrary<String> keys() {
    return Arbitraries.frequencyOf(
        Tuple.of(30, Arbitraries.of(KEYS)), Tuple.of(1, Arbitraries.just("\u0080".repeat(1_025))));
  }

  private static Arbitrary<List<String>> tooManyKeys() {
    return Arbitraries.integers()
        .between(128, 129)
        .map(count -> Stream.iterate(0, i -> i + 1).limit(count).map(i -> "many" + i).toList());
  }

  private static Arbitrary<Object> values() {
    return Arbitraries.frequencyOf(
        Tuple.of(6, Arbitraries.longs().between(0, 3).map(number -> (Object) number)),
        Tuple.of(3, Arbitraries.integers().between(0, 3_000).map("v"::repeat)),
        Tuple.of(1, Arbitraries.of(131_000, 131_072).map("w"::repeat)),
        Tuple.of(1, Arbitraries.just("x".repeat(131_200))));
  }

  private static Arbitrary<ListOptions> lists(boolean mayWait) {
    Arbitrary<String> bounds = Arbitraries.of(KEYS).injectNull(0.5);
    Arbitrary<Integer> limits = Arbitraries.of(1, 2, 3, 5, Integer.MAX_VALUE);
    return Combinators.combine(
            bounds,
            Arbitraries.of(false, true),
            bounds,
            bounds,
            Arbitraries.of(false, true),
            limits,
            Arbitraries.of(false, mayWait))
        .as(
            (start, after, end, prefix, reverse, limit, concurrent) ->
                new ListOptions(
                    after ? null : start,
                    after ? start : null,
                    end,
                    prefix,
                    reverse,
                    limit,
                    new ReadOptions(concurrent, !concurrent)));
  }
}
