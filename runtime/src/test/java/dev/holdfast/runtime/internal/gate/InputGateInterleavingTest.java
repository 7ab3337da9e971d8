package dev.holdfast.runtime.internal.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.internal.gate.InputGate.Entry;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The gate alone, against what it promises, in random programs and schedules with a switch of
 * threads before any access of its fields: one holder at a time; waiters are admitted in the order
 * in which they were queued; none is forgotten; a section admits only its own; after the gate was
 * shut exactly one thread cleans up, when no thread is inside.
 */
final class InputGateInterleavingTest {

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 50_000 : 1_500;

  /** How often a thread is interrupted when all orders are tried. */
  private static final int DEPTH = "long".equals(System.getProperty("holdfast.tests")) ? 4 : 3;

  private static final String GATE = "dev.holdfast.runtime.internal.gate.";

  @Test
  void gateIsHandedOnInOrder() {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, HandOff.class, GATE);
  }

  @Test
  void shutGateIsCleanedUpOnceAndAdmitsNoWaiter() {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, Shutting.class, GATE);
  }

  @Test
  void twoVisitorsInEveryOrder() {
    assertThat(DeterministicScheduler.exploreAllInterleavings(DEPTH, TwoVisitors.class, GATE))
        .isGreaterThan(1_000);
  }

  @Test
  void threeVisitorsInEveryOrder() {
    assertThat(DeterministicScheduler.exploreAllInterleavings(DEPTH - 1, ThreeVisitors.class, GATE))
        .isGreaterThan(1_000);
  }

  @Test
  void visitorThatGivesUpInEveryOrder() {
    assertThat(DeterministicScheduler.exploreAllInterleavings(DEPTH - 1, GivingUp.class, GATE))
        .isGreaterThan(1_000);
  }

  @Test
  void shutGateInEveryOrder() {
    assertThat(DeterministicScheduler.exploreAllInterleavings(DEPTH - 1, ShutGate.class, GATE))
        .isGreaterThan(1_000);
  }

  /** Two threads go in and out, the fast way if it is open. */
  static final class TwoVisitors implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) {
      Gate gate = new Gate(scheduler);
      scheduler.run(gate::passTwice, gate::pass);
      gate.checkLeftOpen();
    }
  }

  /** Three threads: one waits after one that waits. */
  static final class ThreeVisitors implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) {
      Gate gate = new Gate(scheduler);
      scheduler.run(gate::pass, gate::pass, gate::pass);
      gate.checkLeftOpen();
    }
  }

  /** One of the waiters takes itself out. */
  static final class GivingUp implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) {
      Gate gate = new Gate(scheduler);
      scheduler.run(gate::pass, gate::giveUp, gate::pass);
      gate.checkLeftOpen();
    }
  }

  /** The gate is shut while one is inside and one waits. */
  static final class ShutGate implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) {
      Gate gate = new Gate(scheduler);
      scheduler.run(gate::pass, gate::pass, gate::shutAtOnce);
      assertThat(gate.cleaners.get()).isEqualTo(1);
      assertThat(gate.gate.enter(new Visitor(), Integer.MAX_VALUE)).isEqualTo(Entry.SHUT);
    }
  }

  /** Some threads enter, open sections, wait, give up and leave. */
  static final class HandOff implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) {
      Gate gate = new Gate(scheduler);
      scheduler.run(gate::visitor, gate::visitor, gate::visitor, gate::visitor);
      gate.checkOrder();
      // Nobody is left behind: the gate is open again.
      assertThat(gate.gate.waitingCount()).isZero();
      assertThat(gate.gate.tryEnter()).isTrue();
    }
  }

  /** The same, and another thread shuts the gate at some time. */
  static final class Shutting implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) {
      Gate gate = new Gate(scheduler);
      scheduler.run(gate::visitor, gate::visitor, gate::visitor, gate::shut);
      gate.checkOrder();
      assertThat(gate.cleaners.get()).isEqualTo(1);
      assertThat(gate.gate.enter(new Visitor(), Integer.MAX_VALUE)).isEqualTo(Entry.SHUT);
    }
  }

  /** A gate with what must hold of it. Threads run one at a time, so plain fields do. */
  private static final class Gate {
    private final DeterministicScheduler scheduler;
    private final InputGate gate = new InputGate(false);
    private final List<Attempt> attempts = new ArrayList<>();
    private final Deque<Section> sections = new ArrayDeque<>();
    // Atomic: other threads may run between any two steps of this class, too.
    private final AtomicInteger time = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger cleaners = new AtomicInteger();
    private boolean shutting;
    private int shutTime = Integer.MAX_VALUE;

    Gate(DeterministicScheduler scheduler) {
      this.scheduler = scheduler;
    }

    void passTwice() {
      pass();
      pass();
    }

    void pass() {
      if (gate.tryEnter() || enterSlowly(new Visitor(), /* givesUp= */ false)) {
        stay();
      }
    }

    void giveUp() {
      if (enterSlowly(new Visitor(), /* givesUp= */ true)) {
        stay();
      }
    }

    private boolean enterSlowly(Visitor visitor, boolean givesUp) {
      switch (gate.enter(visitor, Integer.MAX_VALUE)) {
        case ADMITTED -> {
          return true;
        }
        case SHUT -> {
          return false;
        }
        default -> {
          if (givesUp && gate.withdraw(visitor)) {
            return false;
          }
          while (visitor.isQueued()) {
            LockSupport.park(this);
          }
          return !visitor.isDismissed();
        }
      }
    }

    private void stay() {
      assertThat(inside.incrementAndGet()).as("holders").isEqualTo(1);
      leave();
    }

    void shutAtOnce() {
      Dismissal dismissal = new Dismissal();
      assertThat(gate.shut(dismissal)).isTrue();
      if (dismissal.isCleaner()) {
        clean();
      }
      dismissal.dismissAll();
    }

    void checkLeftOpen() {
      assertThat(gate.waitingCount()).isZero();
      assertThat(gate.tryEnter()).isTrue();
    }

    void visitor() {
      for (int visits = 1 + scheduler.choose(3); visits > 0; visits--) {
        Visitor visitor = new Visitor();
        if (!enter(visitor, /* mayGiveUp= */ true)) {
          continue;
        }
        boolean stays = scheduler.choose(3) != 0 || section(visitor);
        if (stays) {
          leave();
        }
      }
    }

    /** Waits inside of a section; false if the gate was shut meanwhile. */
    private boolean section(Visitor visitor) {
      Section section = gate.open(visitor, 1);
      if (section == null) {
        return true;
      }
      sections.push(section);
      leave();
      Thread.yield();
      if (!enter(visitor, /* mayGiveUp= */ false)) {
        return false;
      }
      checkInside(section);
      if (gate.close(section)) {
        sections.pop();
      }
      return true;
    }

    private boolean enter(Visitor visitor, boolean mayGiveUp) {
      Attempt attempt = new Attempt(time.incrementAndGet(), /* outside= */ mayGiveUp);
      attempts.add(attempt);
      boolean fast = mayGiveUp && scheduler.choose(2) == 0 && gate.tryEnter();
      Entry entry = fast ? Entry.ADMITTED : gate.enter(visitor, Integer.MAX_VALUE);
      attempt.queued = time.incrementAndGet();
      if (entry == Entry.SHUT) {
        return false;
      }
      if (mayGiveUp && scheduler.choose(4) == 0 && gate.withdraw(visitor)) {
        return false;
      }
      while (visitor.isQueued()) {
        LockSupport.park(this);
      }
      if (visitor.isDismissed()) {
        return false;
      }
      assertThat(attempt.began).isLessThan(shutTime);
      attempt.admitted = time.incrementAndGet();
      assertThat(inside.incrementAndGet()).as("holders").isEqualTo(1);
      checkInside(visitor.place());
      Thread.yield();
      return true;
    }

    /** The thread that shuts the gate ends all sections, in several steps. */
    private void checkInside(@Nullable Section place) {
      assertThat(shutting || sections.peek() == place).as("in the innermost section").isTrue();
    }

    private void leave() {
      inside.decrementAndGet();
      if (gate.release()) {
        clean();
      }
    }

    void shut() {
      for (int pause = scheduler.choose(30); pause > 0; pause--) {
        Thread.yield();
      }
      shutting = true;
      Dismissal dismissal = new Dismissal();
      assertThat(gate.shut(dismissal)).isTrue();
      shutTime = time.incrementAndGet();
      if (dismissal.isCleaner()) {
        clean();
      }
      dismissal.dismissAll();
    }

    private void clean() {
      cleaners.incrementAndGet();
      assertThat(inside.get()).as("holders while it is cleaned up").isZero();
    }

    /** A waiter that was queued before another began must not be admitted after it. */
    void checkOrder() {
      for (Attempt first : attempts) {
        for (Attempt second : attempts) {
          if (first.outside && second.outside && first.queued < second.began) {
            boolean bothGotIn = first.admitted > 0 && second.admitted > 0;
            assertThat(bothGotIn && first.admitted > second.admitted).as("overtaken").isFalse();
          }
        }
      }
    }
  }

  /** One attempt to enter, with the times of its steps; zero for never. */
  private static final class Attempt {
    private final int began;
    private int queued;
    private int admitted;

    /** Whether it queues outside of all sections: those inside one come before. */
    private final boolean outside;

    Attempt(int began, boolean outside) {
      this.began = began;
      this.outside = outside;
    }
  }

  private static final class Visitor extends Waiter {
    private final Thread thread = Thread.currentThread();

    @Override
    protected void admitted(int waitingCount) {
      LockSupport.unpark(thread);
    }

    @Override
    protected void dismissed() {
      LockSupport.unpark(thread);
    }
  }
}
