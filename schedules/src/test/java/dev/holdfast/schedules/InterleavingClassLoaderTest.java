package dev.holdfast.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.schedules.sample.MonitorCounters;
import dev.holdfast.schedules.sample.RacyCounter;
import dev.holdfast.schedules.sample.SpinFreeLock;
import org.junit.jupiter.api.Test;

final class InterleavingClassLoaderTest {

  private static final int SCHEDULES = 2_000;
  private static final String SAMPLES = "dev.holdfast.schedules.sample.";

  @Test
  void raceIsFoundThoughNothingYields() {
    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(
            () ->
                DeterministicScheduler.exploreInterleavings(SCHEDULES, RacyCounter.class, SAMPLES))
        .withMessageContaining("two increments gave 1");
  }

  @Test
  void raceIsNotFoundWithoutInterleaving() {
    DeterministicScheduler.explore(SCHEDULES, new RacyCounter());
  }

  @Test
  void lostWakeUpIsFoundAsADeadlock() {
    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(
            () ->
                DeterministicScheduler.exploreInterleavings(
                    SCHEDULES, SpinFreeLock.Forgetful.class, SAMPLES))
        .withMessageContaining("deadlock");
  }

  @Test
  void rightLockPassesEverySchedule() {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, SpinFreeLock.Careful.class, SAMPLES);
  }

  @Test
  void monitorsStillExclude() {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, MonitorCounters.class, SAMPLES);
  }

  @Test
  void scenarioMustBeAmongTheClassesThatAreInterleaved() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> DeterministicScheduler.exploreInterleavings(1, RacyCounter.class, "org.example."))
        .withMessageContaining("begins with none of");
  }

  @Test
  void oneInterruptionIsEnoughForALostUpdate() {
    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(
            () -> DeterministicScheduler.exploreAllInterleavings(1, RacyCounter.class, SAMPLES))
        .withMessageContaining("two increments gave 1");
  }

  @Test
  void withoutInterruptionsOnlyTheOrdersOfBeginningAreTried() {
    assertThat(DeterministicScheduler.exploreAllInterleavings(0, RacyCounter.class, SAMPLES))
        .isEqualTo(2);
  }

  @Test
  void everyScheduleWithTwoInterruptionsIsTriedOfARightLock() {
    long one =
        DeterministicScheduler.exploreAllInterleavings(1, SpinFreeLock.Careful.class, SAMPLES);
    long two =
        DeterministicScheduler.exploreAllInterleavings(2, SpinFreeLock.Careful.class, SAMPLES);

    assertThat(two).isGreaterThan(10 * one);
  }

  @Test
  void lostWakeUpIsFoundAmongAllSchedules() {
    assertThatExceptionOfType(ScheduleFailure.class)
        .isThrownBy(
            () ->
                DeterministicScheduler.exploreAllInterleavings(
                    2, SpinFreeLock.Forgetful.class, SAMPLES))
        .withMessageContaining("deadlock");
  }
}
