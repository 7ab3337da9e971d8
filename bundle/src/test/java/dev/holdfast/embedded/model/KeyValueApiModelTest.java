package dev.holdfast.embedded.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.WriteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;

/**
 * Random programs of turns on the whole key-value API, with all its options, on both storage
 * engines of one runtime, compared step by step with a sorted map. Between turns objects are reset,
 * evicted, and the runtime is closed and opened; the cache has room for a few values only.
 *
 * <p>Crashes are steps of the programs of {@code KeyValueModel}, one layer below, and of the crash
 * test, with killed processes.
 */
class KeyValueApiModelTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int STEPS_MAX = LONG ? 1_000 : 25;

  /** Few keys, so that operations meet each other; all of them hard in some way. */
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
          "\uFFFF",
          "\uD83D\uDE00",
          "k".repeat(2_048));

  /** Operations by number: code does not cross the border of an object. */
  private static final Map<Integer, List<Op>> TURNS = new ConcurrentHashMap<>();

  private static final AtomicInteger NEXT_TURN = new AtomicInteger();

  /** An object whose code is chosen call by call. */
  public interface Subject {

    /** Runs operations in one turn and returns what they said; or resets the object at the end. */
    List<String> run(int turn, boolean abort);
  }

  /** Something that happens to the objects. */
  sealed interface Step {

    /** A call. */
    record Turn(List<Op> ops) implements Step {}

    /** A call that is reset at its end. */
    record Aborted(List<Op> ops) implements Step {}

    /** The runtime is closed and opened. */
    record Restart() implements Step {}
  }

  static final class SubjectObject implements Subject {

    private final ObjectContext context;

    SubjectObject(ObjectContext context) {
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

  @Property(tries = 20, shrinking = ShrinkingMode.BOUNDED)
  void bothEnginesBehaveLikeASortedMap(@ForAll("programs") List<Step> program) throws IOException {
    check(program);
  }

  private static void check(List<Step> program) throws IOException {
    Path root = Files.createTempDirectory("key-value-api");
    ObjectRuntime runtime = open(root);
    try {
      OnMap expected = new OnMap();
      for (Step step : program) {
        switch (step) {
          case Step.Turn(var ops) -> {
            List<String> told = expected.run(ops);
            for (StorageKind kind : StorageKind.values()) {
              assertThat(run(runtime, kind, ops, false)).as("%s", kind).isEqualTo(told);
            }
          }
          case Step.Aborted(var ops) -> {
            for (StorageKind kind : StorageKind.values()) {
              abort(runtime, kind, ops);
            }
          }
          case Step.Restart() -> {
            runtime.close();
            runtime = open(root);
          }
        }
      }
      List<Op> all = List.of(new Op.ListPairs(ListOptions.ALL));
      for (StorageKind kind : StorageKind.values()) {
        assertThat(run(runtime, kind, all, false)).as("%s", kind).isEqualTo(expected.run(all));
      }
    } finally {
      runtime.close();
      delete(root);
    }
  }

  private static ObjectRuntime open(Path root) {
    return Holdfast.open(
        root,
        objects -> {
          objects.options(
              RuntimeOptions.DEFAULT
                  .withValueCacheBytesMax(2_048)
                  .withRocksDbMemoryBytesMax(6 << 20)
                  .withOpenDatabasesMax(1));
          for (StorageKind kind : StorageKind.values()) {
            objects.namespace(
                kind.name(),
                Subject.class,
                SubjectObject::new,
                NamespaceOptions.DEFAULT.withStorage(kind).withIdleTimeout(Duration.ofMillis(1)));
          }
        });
  }

  private static List<String> run(
      ObjectRuntime runtime, StorageKind kind, List<Op> ops, boolean abort) {
    int turn = NEXT_TURN.incrementAndGet();
    TURNS.put(turn, ops);
    try {
      return runtime.namespace(kind.name(), Subject.class).getByName("a").run(turn, abort);
    } finally {
      TURNS.remove(turn);
    }
  }

  /** Only what the last turn of the call wrote is taken back, so the call must not wait. */
  private static void abort(ObjectRuntime runtime, StorageKind kind, List<Op> ops) {
    try {
      run(runtime, kind, ops, true);
      throw new AssertionError("the abort was lost");
    } catch (InstanceResetException e) {
      assertThat(e).hasMessageContaining("wanted");
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
    Arbitrary<List<Op>> turns = ops(2).list().ofMinSize(1).ofMaxSize(8);
    Arbitrary<List<Op>> aborted = simple().list().ofMinSize(1).ofMaxSize(5);
    return Arbitraries.<Step>frequencyOf(
            Tuple.of(12, turns.map(Step.Turn::new)),
            Tuple.of(1, aborted.map(Step.Aborted::new)),
            Tuple.of(1, Arbitraries.just(new Step.Restart())))
        .list()
        .ofMinSize(1)
        .ofMaxSize(STEPS_MAX);
  }

  private static Arbitrary<Op> ops(int depth) {
    if (depth == 0) {
      return simple();
    }
    Arbitrary<List<Op>> bodies = Arbitraries.lazy(() -> ops(depth - 1)).list().ofMaxSize(5);
    return Arbitraries.frequencyOf(
        Tuple.of(20, simple()),
        Tuple.of(1, Arbitraries.just(new Op.Sync())),
        Tuple.of(
            2, Combinators.combine(bodies, Arbitraries.of(Op.End.class)).as(Op.Transaction::new)),
        Tuple.of(
            2,
            Combinators.combine(bodies, Arbitraries.of(false, true)).as(Op.SyncTransaction::new)));
  }

  private static Arbitrary<Op> simple() {
    Arbitrary<ReadOptions> reads =
        Combinators.combine(Arbitraries.of(false, true), Arbitraries.of(false, true))
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
        Tuple.of(4, lists().map(Op.ListPairs::new)),
        Tuple.of(2, lists().map(Op.StreamPairs::new)));
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

  private static Arbitrary<ListOptions> lists() {
    Arbitrary<String> bounds = Arbitraries.of(KEYS).injectNull(0.5);
    Arbitrary<Integer> limits = Arbitraries.of(1, 2, 3, 5, Integer.MAX_VALUE);
    return Combinators.combine(
            bounds,
            Arbitraries.of(false, true),
            bounds,
            bounds,
            Arbitraries.of(false, true),
            limits,
            Arbitraries.of(false, true))
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
