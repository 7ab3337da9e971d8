package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Thing.Script;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Races of the whole engine: each scenario runs in several hundred schedules, in which another
 * thread may run before every access of shared state in the engine's own code. The backend refuses
 * two turns of one object at once, in every schedule.
 */
final class EngineInterleavingTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 150;

  private static void explore(Class<? extends Scenario> scenario) {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, scenario, "dev.holdfast.runtime.");
  }

  @Test
  void concurrentFirstCallsMakeOneInstanceAndLoseNoWrite() {
    explore(FirstCalls.class);
  }

  static final class FirstCalls implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      scheduler.run(
          () -> host.call("a", INCREMENT),
          () -> host.call("a", INCREMENT),
          () -> host.call("a", INCREMENT));
      scheduler.run(() -> assertThat(host.call("a", READ)).isEqualTo(3L));
      assertThat(host.created.get()).isEqualTo(1);
      scheduler.run(host::close);
    }
  }

  @Test
  void replyLeavesOnlyWhenItsWriteIsDurable() {
    explore(DurableReplies.class);
  }

  static final class DurableReplies implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler, syncing(scheduler));
      DeterministicScheduler.Body caller =
          () -> {
            long written = (Long) host.call("a", INCREMENT);
            // One batch for each increment: the reply n depends on the record n.
            assertThat(host.journal.durablePosition()).isGreaterThanOrEqualTo(written);
          };
      scheduler.run(caller, caller, caller);
      scheduler.run(host::close);
    }
  }

  @Test
  void syncsOfAnObjectEndInTheOrderInWhichTheyBegan() {
    explore(Syncs.class);
  }

  static final class Syncs implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler, syncing(scheduler));
      List<Long> began = new ArrayList<>();
      List<Long> ended = new ArrayList<>();
      Script<?> syncing =
          (_, context) -> {
            long number = increment(context);
            began.add(number);
            context.storage().sync();
            ended.add(number);
            return null;
          };
      DeterministicScheduler.Body caller = () -> host.call("a", syncing);
      scheduler.run(caller, caller, caller);
      assertThat(began).hasSize(3);
      assertThat(ended).isEqualTo(began);
      scheduler.run(host::close);
    }
  }

  @Test
  void failureShowsItsCallerWhicheverThreadRanTheCall() {
    explore(Failures.class);
  }

  static final class Failures implements Scenario {

    private static final Script<?> FAILING =
        (_, context) -> {
          context.call(() -> 0);
          throw new IllegalStateException("planned");
        };

    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      AtomicInteger failed = new AtomicInteger();
      DeterministicScheduler.Body caller =
          () -> {
            try {
              makeACall(host);
            } catch (IllegalStateException e) {
              boolean isShown =
                  isInStack(e) || Arrays.stream(e.getSuppressed()).anyMatch(Failures::isInStack);
              assertThat(isShown).as("the caller is in the stack").isTrue();
              failed.incrementAndGet();
            }
          };
      scheduler.run(caller, caller, caller);
      assertThat(failed).hasValue(3);
      scheduler.run(host::close);
    }

    private static void makeACall(Host host) throws Exception {
      host.call("a", FAILING);
    }

    private static boolean isInStack(Throwable failure) {
      return Arrays.stream(failure.getStackTrace())
          .anyMatch(frame -> frame.getMethodName().equals("makeACall"));
    }
  }

  /** Order of the begins would let the first wait for the second, which waits for the first. */
  @Test
  void workMayWaitForALaterWorkOfItsObject() {
    explore(LaterWork.class);
  }

  static final class LaterWork implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      List<String> ended = new ArrayList<>();
      Script<?> later =
          (_, context) -> {
            long written = increment(context);
            context.call(() -> written);
            ended.add("later");
            return written;
          };
      Script<?> earlier =
          (_, context) -> {
            Object written = context.call(() -> host.call("a", later));
            ended.add("earlier");
            return written;
          };
      scheduler.run(() -> assertThat(host.call("a", earlier)).isEqualTo(1L));
      assertThat(ended).containsExactly("later", "earlier");
      scheduler.run(host::close);
    }
  }

  @Test
  void interruptedCallIsWithdrawnOrRunsAndTheObjectGoesOn() {
    explore(Interrupts.class);
  }

  static final class Interrupts implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      AtomicInteger done = new AtomicInteger();
      DeterministicScheduler.Body caller =
          () -> {
            try {
              host.call("a", INCREMENT);
              done.incrementAndGet();
            } catch (CallInterruptedException e) {
              assertThat(Thread.interrupted()).isTrue();
            }
          };
      Thread first = scheduler.start("first", caller);
      Thread second = scheduler.start("second", caller);
      scheduler.run(caller, first::interrupt, second::interrupt);
      scheduler.run(() -> assertThat(host.call("a", READ)).isEqualTo((long) done.get()));
      scheduler.run(host::close);
    }
  }

  @Test
  void busyObjectRunsEveryCallOnceOnAnyThread() {
    explore(BusyObject.class);
  }

  static final class BusyObject implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      AtomicInteger done = new AtomicInteger();
      DeterministicScheduler.Body caller =
          () -> {
            try {
              for (int call = 0; call < 2; call++) {
                host.call("a", scheduler.choose(4) == 0 ? INCREMENT_AFTER_WAIT : INCREMENT);
                done.incrementAndGet();
              }
              assertThat(Thread.interrupted()).isFalse();
            } catch (CallInterruptedException e) {
              throw new AssertionError("nobody interrupts this one", e);
            }
          };
      Thread impatient =
          scheduler.start(
              "impatient",
              () -> {
                try {
                  host.call("a", INCREMENT);
                  done.incrementAndGet();
                } catch (CallInterruptedException e) {
                  assertThat(Thread.interrupted()).isTrue();
                }
              });
      scheduler.run(caller, caller, impatient::interrupt, caller, caller);
      scheduler.run(() -> assertThat(host.call("a", READ)).isEqualTo((long) done.get()));
      scheduler.run(host::close);
    }
  }

  @Test
  void abortReachesCallsInFlightAndLaterOnesFindAFreshInstance() {
    explore(Aborts.class);
  }

  static final class Aborts implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      AtomicInteger done = new AtomicInteger();
      DeterministicScheduler.Body caller =
          () -> {
            try {
              host.call("a", INCREMENT);
              done.incrementAndGet();
            } catch (InstanceResetException e) {
              assertThat(e).hasMessageContaining("planned");
            }
          };
      Script<?> abort =
          (_, context) -> {
            context.storage().put("count", 1_000L);
            throw context.abort("planned");
          };
      DeterministicScheduler.Body aborter =
          () -> {
            try {
              host.call("a", abort);
              fail("abort() returned");
            } catch (InstanceResetException e) {
              assertThat(e).hasMessageContaining("planned");
            }
          };
      scheduler.run(caller, aborter, caller, caller);
      scheduler.run(
          () ->
              assertThat((Long) host.call("a", READ))
                  .isGreaterThanOrEqualTo(done.get())
                  .isLessThanOrEqualTo(3));
      scheduler.run(host::close);
    }
  }

  @Test
  void evictionLosesNoCall() {
    explore(Evictions.class);
  }

  static final class Evictions implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      for (int round = 0; round < 3; round++) {
        // The sweeper walks while the calls come.
        scheduler.clock().advance(Duration.ofSeconds(9));
        scheduler.start("sweep", () -> scheduler.clock().advance(Duration.ofSeconds(4)));
        scheduler.run(() -> host.call("a", INCREMENT), () -> host.call("a", INCREMENT));
      }
      scheduler.run(() -> assertThat(host.call("a", READ)).isEqualTo(6L));
      scheduler.run(host::close);
    }
  }

  @Test
  void closeAnswersOrRefusesEveryCall() {
    explore(Closes.class);
  }

  static final class Closes implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler, syncing(scheduler));
      List<Long> replies = new ArrayList<>();
      DeterministicScheduler.Body caller =
          () -> {
            try {
              replies.add((Long) host.call("a", INCREMENT));
            } catch (RuntimeClosedException e) {
              assertThat(e).hasMessageContaining("closed");
            }
          };
      scheduler.run(caller, host::close, caller, host::close);
      assertThat(host.journal.durablePosition()).isGreaterThanOrEqualTo(replies.size());
      assertThat(host.backend.openTurnCount()).isZero();
    }
  }

  @Test
  void failedJournalFailsEveryCallAndHangsNone() {
    explore(JournalFailures.class);
  }

  static final class JournalFailures implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler, new InMemoryJournal(Durability.MANUAL, scheduler.clock()));
      DeterministicScheduler.Body caller =
          () -> {
            try {
              host.call("a", INCREMENT);
              fail("nothing was durable");
            } catch (InstanceResetException | JournalFailedException e) {
              assertThat(host.journal.durablePosition()).isZero();
            }
          };
      scheduler.run(caller, caller, () -> host.journal.fail(new IOException("bad disk")), caller);
      assertThat(host.backend.openTurnCount()).isZero();
      scheduler.run(host::close);
    }
  }

  @Test
  void criticalSectionKeepsOthersOutWhileItWaits() {
    explore(Sections.class);
  }

  static final class Sections implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      Script<?> section =
          (self, context) ->
              context.blockConcurrencyWhile(
                  () -> {
                    long before = self.count;
                    context.call(
                        () -> {
                          Thread.yield();
                          return 0;
                        });
                    host.call("b", INCREMENT);
                    assertThat(self.count).as("count in the section").isEqualTo(before);
                    return self.count = before + 1;
                  });
      Script<?> other = (self, _) -> ++self.count;
      scheduler.run(
          () -> host.call("a", section),
          () -> host.call("a", other),
          () -> host.call("a", section),
          () -> host.call("a", other));
      scheduler.run(() -> assertThat(host.call("a", (self, _) -> self.count)).isEqualTo(4L));
      scheduler.run(host::close);
    }
  }

  @Test
  void circleOfCriticalSectionsIsRefusedAndNoCallHangs() {
    explore(Circles.class);
  }

  static final class Circles implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      AtomicInteger refused = new AtomicInteger();
      scheduler.run(
          () -> callInSection(host, "a", "b", refused),
          () -> callInSection(host, "b", "a", refused));
      assertThat(refused.get()).isLessThanOrEqualTo(1);
      scheduler.run(() -> host.call("a", INCREMENT), () -> host.call("b", INCREMENT));
      scheduler.run(host::close);
    }

    private static void callInSection(Host host, String from, String to, AtomicInteger refused)
        throws Exception {
      host.call(
          from,
          (_, context) ->
              context.blockConcurrencyWhile(
                  () -> {
                    try {
                      return host.call(to, INCREMENT);
                    } catch (MisuseException e) {
                      assertThat(e).hasMessageContaining(" -> ");
                      return (Object) refused.incrementAndGet();
                    }
                  }));
    }
  }

  @Test
  void callWithATimeoutIsAnsweredOrGivenUpAndTheObjectGoesOn() {
    explore(Timeouts.class);
  }

  static final class Timeouts implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      AtomicInteger done = new AtomicInteger();
      AtomicInteger withdrawn = new AtomicInteger();
      DeterministicScheduler.Body caller =
          () -> {
            try {
              host.call(host.stub("a").withTimeout(Duration.ofMillis(1)), INCREMENT);
              done.incrementAndGet();
            } catch (ObjectCallTimeoutException e) {
              withdrawn.addAndGet(e.delivered() ? 0 : 1);
            }
          };
      scheduler.start("time", () -> scheduler.clock().advance(Duration.ofMillis(1)));
      scheduler.run(caller, caller, caller);
      scheduler.run(
          () ->
              assertThat((Long) host.call("a", READ))
                  .isBetween((long) done.get(), 3L - withdrawn.get()));
      scheduler.run(host::close);
    }
  }

  @Test
  void callsAcrossObjectsInBothDirectionsAllReturn() {
    explore(Crossings.class);
  }

  static final class Crossings implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler, syncing(scheduler));
      Script<?> viaB =
          (_, context) -> {
            context.storage().put("count", count(context) + 1);
            return host.call("b", INCREMENT);
          };
      Script<?> viaA =
          (_, context) -> {
            context.storage().put("count", count(context) + 1);
            return host.call("a", INCREMENT);
          };
      Script<?> backToA = (_, _) -> host.call("b", viaA);
      scheduler.run(
          () -> host.call("a", viaB), () -> host.call("b", viaA), () -> host.call("a", backToA));
      scheduler.run(
          () -> assertThat(host.call("a", READ)).isEqualTo(3L),
          () -> assertThat(host.call("b", READ)).isEqualTo(3L));
      assertThat(host.journal.durablePosition()).isEqualTo(host.journal.lastPosition());
      scheduler.run(host::close);
    }
  }

  @Test
  void timersAndTasksTakeTurnsWithCalls() {
    explore(Tasks.class);
  }

  static final class Tasks implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host = host(scheduler);
      Script<?> starts =
          (_, context) -> {
            context.schedule(Duration.ZERO, () -> increment(context));
            return context.await(context.async(() -> increment(context)));
          };
      scheduler.run(() -> host.call("a", starts), () -> host.call("a", INCREMENT));
      scheduler.run(() -> assertThat(host.call("a", READ)).isEqualTo(3L));
      scheduler.run(host::close);
    }
  }

  // ---- The objects ----------------------------------------------------------------

  private static final Script<Object> INCREMENT = (_, context) -> increment(context);

  private static final Script<Object> INCREMENT_AFTER_WAIT =
      (_, context) -> {
        context.await(CompletableFuture.completedFuture(null));
        return increment(context);
      };

  private static final Script<Object> READ = (_, context) -> count(context);

  private static long increment(ObjectContext context) {
    long next = count(context) + 1;
    // Other threads may run here; the turn must exclude them.
    Thread.yield();
    context.storage().put("count", next);
    return next;
  }

  private static long count(ObjectContext context) {
    return context.storage().get("count", Long.class).orElse(0L);
  }

  private static Host host(DeterministicScheduler scheduler) {
    return host(scheduler, new InMemoryJournal(Durability.ON_WAIT, scheduler.clock()));
  }

  private static Host host(DeterministicScheduler scheduler, InMemoryJournal journal) {
    return Host.with().scheduler(scheduler).journal(journal).open();
  }

  private static InMemoryJournal syncing(DeterministicScheduler scheduler) {
    return InMemoryJournal.withSyncTime(scheduler.clock(), Duration.ofMillis(1));
  }
}
