package dev.holdfast.schedules.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import java.util.concurrent.ConcurrentHashMap;

/** Counters guarded in every way that Java offers: none of them may lose an increment. */
public final class MonitorCounters implements Scenario {

  private static int ofClass;

  private int inBlock;
  private int inMethod;
  private final ConcurrentHashMap<String, Integer> inMap = new ConcurrentHashMap<>();

  @Override
  public void run(DeterministicScheduler scheduler) {
    inBlock = 0;
    inMethod = 0;
    resetClass();
    inMap.clear();
    scheduler.run(this::incrementAll, this::incrementAll, this::incrementAll);
    assertThat(inBlock).isEqualTo(3);
    assertThat(inMethod).isEqualTo(3);
    assertThat(ofClass).isEqualTo(3);
    assertThat(inMap).containsEntry("a", 3);
  }

  private void incrementAll() {
    synchronized (this) {
      inBlock++;
    }
    assertThat(incrementInMethod(1, 2L)).isEqualTo(2L);
    incrementOfClass();
    try {
      failInMethod();
    } catch (IllegalStateException e) {
      assertThat(e).hasMessage("expected");
    }
    inMap.compute("a", (_, before) -> before == null ? one() : before + one());
  }

  private synchronized long incrementInMethod(int change, long result) {
    inMethod += change;
    return result;
  }

  private synchronized void failInMethod() {
    throw new IllegalStateException("expected");
  }

  private static synchronized void incrementOfClass() {
    ofClass++;
  }

  private static synchronized void resetClass() {
    ofClass = 0;
  }

  private int one() {
    return inMethod > 0 ? 1 : 0;
  }
}
