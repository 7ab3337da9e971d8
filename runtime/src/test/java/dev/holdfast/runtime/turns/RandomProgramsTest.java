package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.runtime.Host;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/**
 * Random programs of calls, waits, tasks, critical sections and failures, by several callers at
 * once, in random schedules. A failing try shows the program and the seed of its schedule, and both
 * replay exactly.
 */
class RandomProgramsTest {

  @Provide
  Arbitrary<List<List<Step.TopCall>>> harmlessCallers() {
    return Step.top(Step.harmless(3)).list().ofMinSize(1).ofMaxSize(3).list().ofMaxSize(4);
  }

  @Provide
  Arbitrary<List<List<Step.TopCall>>> harmfulCallers() {
    return Step.top(Step.harmful(3)).list().ofMinSize(1).ofMaxSize(3).list().ofMaxSize(4);
  }

  @Provide
  Arbitrary<Long> seeds() {
    return Arbitraries.longs().greaterOrEqual(0);
  }

  /**
   * Without resets the sums do not depend on the order of events: each object's counter is what the
   * sequential model says, and nothing was lost between a read and a write.
   */
  @Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
  void everyIncrementCountsOnceAndTurnsNeverOverlap(
      @ForAll("harmlessCallers") List<List<Step.TopCall>> callers, @ForAll("seeds") long seed) {
    DeterministicScheduler scheduler = new DeterministicScheduler(seed);
    Host host = Host.with().scheduler(scheduler).open();
    ProgramRun run = new ProgramRun(host);
    scheduler.run(bodies(callers, call -> run.call(call)));
    scheduler.runUntilIdle();
    SequentialModel model = new SequentialModel();
    callers.forEach(calls -> calls.forEach(model::call));

    assertThat(run.violations()).isEmpty();
    assertThat(run.allSendsAreOver()).isTrue();
    for (int object = 0; object < Step.OBJECTS; object++) {
      Stored stored = Stored.of(host.backend, host.key(ProgramRun.name(object)));
      assertThat(stored.count()).as("object %d", object).isEqualTo(stored.tokens().size());
      // Else a circle of sections was refused or ended by a reset: some calls did not run.
      if (run.refusals() == 0) {
        assertThat(stored.count()).as("object %d", object).isEqualTo(model.sum(object));
      }
    }
    scheduler.run(host::close);
  }

  /** A circle that closes when a call goes on ends by a reset of its object, which counts too. */
  @Test
  void aResetOfACircleIsCounted() {
    Step inner = new Step.Call(3, List.of(new Step.Work(), new Step.Increment()));
    List<Step.TopCall> first =
        List.of(new Step.TopCall(0, List.of(new Step.Section(List.of(inner)))));
    Step outer = new Step.Call(0, List.of());
    List<Step.TopCall> second =
        List.of(new Step.TopCall(3, List.of(new Step.Section(List.of(outer)))));
    everyIncrementCountsOnceAndTurnsNeverOverlap(List.of(first, second), 3);
  }

  /**
   * Every value or exception that an outside caller receives is still valid after a crash at that
   * moment: the journal loses all that is not durable, and then fails permanently.
   */
  @Property(tries = 400, shrinking = ShrinkingMode.BOUNDED)
  void noOutsideCallerSeesWhatACrashUndoes(
      @ForAll("harmfulCallers") List<List<Step.TopCall>> callers, @ForAll("seeds") long seed) {
    DeterministicScheduler scheduler = new DeterministicScheduler(seed);
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL, scheduler.clock());
    Host host = Host.with().scheduler(scheduler).journal(journal).open();
    ProgramRun run = new ProgramRun(host);
    List<DeterministicScheduler.Body> bodies = new ArrayList<>();
    bodies.addAll(
        List.of(
            bodies(
                callers,
                call -> {
                  List<Long> told = run.call(call);
                  assertThat(tokensAfterCrash(host, journal)).containsAll(told);
                })));
    bodies.add(() -> disk(scheduler, host, journal));
    scheduler.run(bodies.toArray(DeterministicScheduler.Body[]::new));

    assertThat(run.violations()).isEmpty();
    assertThat(host.backend.openTurnCount()).isZero();
    scheduler.run(host::close);
  }

  private interface Caller {
    void call(Step.TopCall call) throws Exception;
  }

  private static DeterministicScheduler.Body[] bodies(
      List<List<Step.TopCall>> callers, Caller caller) {
    return callers.stream()
        .map(
            calls ->
                (DeterministicScheduler.Body)
                    () -> {
                      for (Step.TopCall call : calls) {
                        try {
                          caller.call(call);
                        } catch (HoldfastException e) {
                          // Resets, refused circles, a failed journal: the caller received no
                          // value.
                          Thread.yield();
                        }
                      }
                    })
        .toArray(DeterministicScheduler.Body[]::new);
  }

  /**
   * Makes prefixes of the journal durable at random times, resets objects from outside now and
   * then, and fails in the end.
   */
  private static void disk(DeterministicScheduler scheduler, Host host, InMemoryJournal journal) {
    for (int syncs = scheduler.choose(12); syncs > 0; syncs--) {
      for (int pause = scheduler.choose(20); pause > 0; pause--) {
        Thread.yield();
      }
      if (scheduler.choose(4) == 0) {
        host.backend.failInBackground(host.key(ProgramRun.name(scheduler.choose(Step.OBJECTS))));
        host.backend.heal();
      }
      long undurable = journal.lastPosition() - journal.durablePosition();
      journal.makeDurable(journal.durablePosition() + scheduler.choose((int) undurable + 1));
    }
    journal.fail(new IOException("the disk is gone"));
  }

  private static Set<Long> tokensAfterCrash(Host host, InMemoryJournal journal) {
    InMemoryJournal left = journal.prefix(journal.durablePosition());
    InMemoryBackend recovered = new InMemoryBackend(left);
    recovered.recover(left);
    Set<Long> tokens = new HashSet<>();
    for (int object = 0; object < Step.OBJECTS; object++) {
      tokens.addAll(Stored.of(recovered, host.key(ProgramRun.name(object))).tokens());
    }
    return tokens;
  }

  /** The result of a program in the storage of an object. */
  private record Stored(long count, Set<Long> tokens) {

    static Stored of(InMemoryBackend backend, ObjectKey key) {
      long count = 0;
      Set<Long> tokens = new HashSet<>();
      StoreTurn turn = backend.store(key).beginTurn();
      try (StoreScan scan = turn.scan(new KeyRange(null, null, false, Integer.MAX_VALUE))) {
        while (scan.next()) {
          String name = new String(scan.key(), StandardCharsets.UTF_8);
          long value = StructuredClone.standard().decode(scan.value(), Long.class);
          if (name.equals("count")) {
            count = value;
          } else {
            tokens.add(value);
          }
        }
      }
      turn.discard();
      return new Stored(count, tokens);
    }
  }
}
