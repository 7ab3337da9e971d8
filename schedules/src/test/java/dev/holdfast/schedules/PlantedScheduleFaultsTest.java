package dev.holdfast.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The scheduler finds planted faults, and none in the repaired class. */
final class PlantedScheduleFaultsTest {

  private static final int SCHEDULES = 2_000;

  @Test
  void lostWakeUpIsFoundAsADeadlock() {
    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(
            () -> DeterministicScheduler.explore(SCHEDULES, s -> handOver(s, new ForgetfulSlot())))
        .withMessageContaining("deadlock")
        .withMessageContaining("ForgetfulSlot.take");
  }

  @Test
  void slotThatLooksAgainHasNoLostWakeUp() {
    DeterministicScheduler.explore(SCHEDULES, s -> handOver(s, new CarefulSlot()));
  }

  @Test
  void lostUpdateIsFound() {
    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(() -> DeterministicScheduler.explore(SCHEDULES, new LostUpdate()::scenario))
        .withMessageContaining("two increments gave 1");
  }

  private static void handOver(DeterministicScheduler scheduler, Slot slot) {
    scheduler.run(() -> slot.put("a"), () -> assertThat(slot.take()).isEqualTo("a"));
  }

  /** A slot into which one thread puts and from which one takes. */
  private interface Slot {
    void put(String value);

    String take();
  }

  /** Checks, and only then registers as waiting: a value put in between wakes no thread. */
  private static final class ForgetfulSlot implements Slot {
    private final Queue<String> values = new ArrayDeque<>();
    private volatile @Nullable Thread taker;

    @Override
    public void put(String value) {
      values.add(value);
      Thread waiting = taker;
      Thread.yield();
      if (waiting != null) {
        LockSupport.unpark(waiting);
      }
    }

    @Override
    public String take() {
      if (values.isEmpty()) {
        Thread.yield();
        taker = Thread.currentThread();
        LockSupport.park(this);
      }
      return values.remove();
    }
  }

  /** Registers as waiting, and then checks. */
  private static final class CarefulSlot implements Slot {
    private final Queue<String> values = new ArrayDeque<>();
    private volatile @Nullable Thread taker;

    @Override
    public void put(String value) {
      values.add(value);
      Thread.yield();
      LockSupport.unpark(taker);
    }

    @Override
    public String take() {
      taker = Thread.currentThread();
      Thread.yield();
      while (values.isEmpty()) {
        LockSupport.park(this);
      }
      return values.remove();
    }
  }
}
