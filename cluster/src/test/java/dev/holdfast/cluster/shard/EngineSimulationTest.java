package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.Consistency;
import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.cluster.shard.SimulatedObjects.Diary;
import dev.holdfast.cluster.shard.SimulatedObjects.Figure;
import dev.holdfast.cluster.shard.SimulatedObjects.Purse;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.histories.LinearizabilityCheck;
import dev.holdfast.histories.Operation;
import dev.holdfast.histories.Register;
import dev.holdfast.histories.Verdict;
import dev.holdfast.schedules.DeterministicScheduler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole shards of three nodes by seed, with engines and SQLite: proposals are delayed, lost,
 * refused and refused though they are kept; two nodes believe that they lead, or none; owners give
 * the shard up as for a move; nodes lose power; callers also call owners that have been deposed.
 * The figures of every other seed are answered by leases. A failure names its seed; {@code
 * -Dsimulated.seed=N -Dsimulated.seeds=1} runs it again.
 */
final class EngineSimulationTest {

  private static final int CALLERS = 3;
  private static final int CALLS = 10;
  private static final int DISTURBANCES = 12;
  private static final int SHORT = 60;
  private static final int LONG = 5_000;

  @TempDir private Path directory;

  /** The first use of SQLite unpacks its library, which is no work for a scheduler. */
  @BeforeAll
  static void loadSqlite(@TempDir Path directory) {
    try (ObjectRuntime runtime = Holdfast.open(directory, SimulatedObjects::register)) {
      Run.figure(runtime, "first").add(1);
    }
  }

  @Test
  void callersAreAnsweredAsByOneObjectThatLosesNothing() {
    boolean isLong = "long".equals(System.getProperty("holdfast.tests"));
    int seeds = Integer.getInteger("simulated.seeds", isLong ? LONG : SHORT);
    long first = Long.getLong("simulated.seed", 1);
    long answered = 0;
    long unanswered = 0;
    long owners = 0;
    long fetches = 0;
    long rounds = 0;
    long moves = 0;
    long dropped = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Run run = new Run(seed, directory.resolve(Long.toString(seed)));
      try {
        run.go();
      } catch (RuntimeException | AssertionError e) {
        fail("Seed " + seed, e);
      }
      answered += run.answered;
      unanswered += run.unanswered;
      owners += run.nodes.opened();
      fetches += run.nodes.fetches();
      rounds += run.nodes.rounds();
      moves += run.nodes.moves();
      dropped += run.dropped;
    }
    if (isLong) {
      System.out.printf(
          "%d seeds: %d calls answered, %d not, %d times objects were opened, %d copies fetched,"
              + " %d rounds, %d times history was dropped%n",
          seeds, answered, unanswered, owners, fetches, rounds, dropped);
    }
    // The schedules reach what they are for.
    assertThat(answered).isGreaterThan(seeds * 10L);
    assertThat(unanswered).isGreaterThan(seeds);
    assertThat(owners).isGreaterThan(seeds * 2L);
    assertThat(rounds).isGreaterThan(seeds / 4);
    assertThat(moves).isGreaterThan(seeds / 10);
    assertThat(dropped).isGreaterThan(seeds / 8);
  }

  @Test
  void seedGivesTheSameRunAgain() {
    for (long seed = 1; seed <= 5; seed++) {
      Run first = new Run(seed, directory.resolve("first-" + seed));
      first.go();
      Run second = new Run(seed, directory.resolve("second-" + seed));
      second.go();
      assertThat(second.scheduler.trace()).as("seed %s", seed).isEqualTo(first.scheduler.trace());
      assertThat(second.histories).isEqualTo(first.histories);
    }
  }

  /** One seed. */
  private static final class Run {

    private final RandomGenerator random;
    private final DeterministicScheduler scheduler;
    private final SimulatedNodes nodes;

    /** By the name of the figure. */
    private final Map<String, List<Operation<Register.Call, Long>>> histories = new TreeMap<>();

    private final Set<String> acknowledged = new HashSet<>();
    private long moment;
    private int answered;
    private int unanswered;
    private int dropped;
    private int calling = CALLERS;
    private @Nullable String checking;
    private boolean isChecked;

    Run(long seed, Path files) {
      this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      this.scheduler = new DeterministicScheduler(seed);
      this.nodes =
          new SimulatedNodes(
              scheduler,
              random,
              files,
              seed % 2 == 0 ? Consistency.LEASE : Consistency.LINEARIZABLE);
    }

    void go() {
      SimulatedNodes.NAMES.forEach(nodes::start);
      scheduler.start("log", nodes::runLog);
      List<DeterministicScheduler.Body> bodies = new ArrayList<>();
      bodies.add(this::disturb);
      for (int i = 0; i < CALLERS; i++) {
        int caller = i;
        bodies.add(() -> call(caller));
      }
      scheduler.run(bodies.toArray(DeterministicScheduler.Body[]::new));
      scheduler.run(this::check, this::claimForTheCheck);
    }

    /** Until the callers have ended: somebody must take the shard for that. */
    private void disturb() {
      for (int i = 0; calling > 0; i++) {
        nodes.pause(random.nextInt(1, 60));
        String name = SimulatedNodes.NAMES.get(random.nextInt(3));
        int dice = random.nextInt(100);
        if (i > DISTURBANCES || dice < 40) {
          claim(name, i > DISTURBANCES);
        } else if (dice < 53) {
          String next = SimulatedNodes.NAMES.get(random.nextInt(3));
          Runnable claim = () -> claim(next, /* isCalm= */ false);
          SimulatedNodes.NAMES.forEach(owner -> nodes.move(owner, claim));
        } else if (dice < 61) {
          nodes.follow(name);
        } else if (dice < 80) {
          restart(name);
        } else {
          nodes.pause(2_000); // replicas save
          SimulatedNodes.NAMES.forEach(nodes::follow);
          nodes.log().drop();
        }
      }
    }

    private void claim(String name, boolean isCalm) {
      if (!nodes.isRunning(name)) {
        nodes.start(name);
      } else if (isCalm) {
        nodes.pause(200);
      }
      if (nodes.isRunning(name)
          && nodes.replica(name).failure() == null
          && (nodes.mayLead(name) || random.nextInt(3) == 0 || isCalm)) {
        nodes.replica(name).claim();
      }
    }

    private void restart(String name) {
      if (nodes.isRunning(name)) {
        nodes.losePower(name);
      } else {
        nodes.start(name);
      }
    }

    private void call(int caller) {
      for (int i = 0; i < CALLS; i++) {
        ObjectRuntime runtime = someRuntime();
        String text = caller + "-" + i;
        int dice = random.nextInt(10);
        if (dice < 6) {
          callFigure(runtime, "f" + random.nextInt(2));
        } else if (dice < 8) {
          String name = "d" + random.nextInt(2);
          if (isAnswered(() -> diary(runtime, name).append(text))) {
            acknowledged.add(name + " " + text);
          }
        } else {
          String giver = "p" + random.nextInt(3);
          String taker = "p" + random.nextInt(3);
          if (!giver.equals(taker)) {
            boolean _ = isAnswered(() -> purse(runtime, giver).give(text, taker, 7));
          }
        }
        nodes.pause(random.nextInt(5));
      }
      calling--;
    }

    /** {@return the objects of any node that has some, also if it was deposed} */
    private ObjectRuntime someRuntime() {
      while (true) {
        int begin = random.nextInt(3);
        for (int i = 0; i < 3; i++) {
          ObjectRuntime found = nodes.runtime(SimulatedNodes.NAMES.get((begin + i) % 3));
          if (found != null) {
            return found;
          }
        }
        nodes.pause(random.nextInt(1, 50));
      }
    }

    private void callFigure(ObjectRuntime runtime, String name) {
      Register.Call call =
          switch (random.nextInt(3)) {
            case 0 -> new Register.Read();
            case 1 -> new Register.Add(random.nextInt(1, 4));
            default -> new Register.CompareAndSet(random.nextInt(4), random.nextInt(4));
          };
      long begun = ++moment;
      Long result = answer(() -> apply(figure(runtime, name), call));
      long ended = ++moment;
      histories
          .computeIfAbsent(name, _ -> new ArrayList<>())
          .add(
              result == null
                  ? Operation.unknown(call, begun)
                  : Operation.answered(call, result, begun, ended));
    }

    private static long apply(Figure figure, Register.Call call) {
      return switch (call) {
        case Register.Read _ -> figure.read();
        case Register.Add add -> figure.add(add.more());
        case Register.CompareAndSet set -> figure.compareAndSet(set.expected(), set.value());
      };
    }

    private boolean isAnswered(Runnable call) {
      return answer(
              () -> {
                call.run();
                return true;
              })
          != null;
    }

    /** {@return the answer; null if there was none, and the call may have had effect} */
    private <R> @Nullable R answer(Supplier<R> call) {
      try {
        R result = call.get();
        answered++;
        return result;
      } catch (HoldfastException e) {
        unanswered++;
        return null;
      }
    }

    private static Figure figure(ObjectRuntime runtime, String name) {
      return runtime.namespace(SimulatedObjects.FIGURES, Figure.class).getByName(name);
    }

    private static Diary diary(ObjectRuntime runtime, String name) {
      return runtime.namespace(SimulatedObjects.DIARIES, Diary.class).getByName(name);
    }

    private static Purse purse(ObjectRuntime runtime, String name) {
      return runtime.namespace(SimulatedObjects.PURSES, Purse.class).getByName(name);
    }

    /** The log may lose a group of the last owner, too, without a word. */
    private void claimForTheCheck() {
      while (!isChecked) {
        nodes.pause(10_000);
        String last = checking;
        if (!isChecked && last != null) {
          nodes.replica(last).claim();
        }
      }
    }

    private void check() {
      String last = SimulatedNodes.NAMES.get(random.nextInt(3));
      for (String name : SimulatedNodes.NAMES) {
        if (!nodes.isRunning(name)) {
          nodes.start(name);
        }
      }
      nodes.log().settle();
      for (String name : SimulatedNodes.NAMES) {
        assertThat(nodes.replica(name).failure()).as("replica of %s", name).isNull();
      }
      takeOver(last);
      if (random.nextBoolean()) {
        last = SimulatedNodes.NAMES.get(random.nextInt(3));
        nodes.pause(2_000); // history is dropped, perhaps
        nodes.follow(last);
        nodes.pause(2_000); // and the segments
        takeOver(last);
      }
      isChecked = true;
      nodes.log().settle();
      List<String> records = nodes.records(last);
      dropped = nodes.replica(last).history().oldestPosition() > 1 ? 1 : 0;
      for (String name : SimulatedNodes.NAMES) {
        assertThat(nodes.replica(name).failure()).isNull();
        assertThat(nodes.records(name)).as("records of %s", name).isEqualTo(records);
      }
    }

    private void takeOver(String next) {
      checking = next;
      ObjectRuntime before = nodes.runtime(next);
      while (true) {
        ObjectRuntime now = nodes.runtime(next);
        if (now != null && now != before && hasChecked(now)) {
          return;
        }
        nodes.replica(next).claim();
        nodes.pause(2_000);
      }
    }

    /** Fails if a promise is broken; false if the owner was deposed meanwhile. */
    private boolean hasChecked(ObjectRuntime owner) {
      Map<String, Long> figures = new TreeMap<>();
      List<String> lines = new ArrayList<>();
      long money = 0;
      try {
        for (String name : histories.keySet()) {
          figures.put(name, figure(owner, name).read());
        }
        for (String name : List.of("d0", "d1")) {
          diary(owner, name).all().forEach(each -> lines.add(name + " " + each));
        }
        List<String> purses = List.of("p0", "p1", "p2");
        purses.forEach(name -> purse(owner, name).settle());
        for (String name : purses) {
          money += purse(owner, name).balance();
        }
      } catch (HoldfastException e) {
        return false;
      }
      assertThat(lines).doesNotHaveDuplicates().containsAll(acknowledged);
      assertThat(money).isEqualTo(3 * SimulatedObjects.OPENING);
      figures.forEach(
          (name, value) -> {
            List<Operation<Register.Call, Long>> history = new ArrayList<>(histories.get(name));
            long begun = ++moment;
            history.add(Operation.answered(new Register.Read(), value, begun, ++moment));
            Verdict verdict = LinearizabilityCheck.check(new Register(), history);
            assertThat(verdict.isLinearizable()).as(name + ": " + verdict).isTrue();
          });
      return true;
    }
  }
}
