package dev.holdfast.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.status.OwnershipRecorder.Taken;
import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.ClusterStatistics.Ownerships;
import dev.holdfast.statistics.HistogramSnapshot;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How long a shard takes to be taken. */
final class OwnershipRecorderTest {

  private final VirtualClock clock = new VirtualClock();
  private final NodeCounters counters = new NodeCounters();
  private final OwnershipRecorder recorder = new OwnershipRecorder(3, clock, counters);

  private ClusterStatistics counted() {
    return counters.snapshot(0, 0, Map.of(), -1);
  }

  private void opened(Taken taken) {
    recorder.opened(taken, 7, clock.monotonicNanos(), 0);
  }

  @Test
  void takeoverBeginsWhenTheLogAllowsItAndEndsWhenTheObjectsAreOpen() {
    recorder.mayLead(true);
    clock.advance(Duration.ofMillis(10));
    Taken taken = recorder.owns();
    clock.advance(Duration.ofMillis(20));
    opened(taken);

    HistogramSnapshot takeovers = counted().takeoverNanos();
    assertThat(takeovers.count()).isEqualTo(1);
    assertThat(takeovers.sum()).isEqualTo(30_000_000);
    assertThat(taken.ownedNanos() - taken.beganNanos()).isEqualTo(10_000_000);
    assertThat(counted().ownerships()).isEqualTo(new Ownerships(1, 0, 0));
  }

  @Test
  void leadershipThatWasLostIsNoPartOfALaterTakeover() {
    recorder.mayLead(true);
    clock.advance(Duration.ofHours(1));
    recorder.mayLead(false);
    recorder.mayLead(true);
    clock.advance(Duration.ofMillis(10));
    opened(recorder.owns());
    clock.advance(Duration.ofHours(1));
    recorder.mayLead(false);
    Taken unannounced = recorder.owns();
    clock.advance(Duration.ofMillis(1));
    opened(unannounced);

    assertThat(counted().takeoverNanos().sum()).isEqualTo(11_000_000);
  }

  @Test
  void idleOwnershipIsNoPartOfATakeoverAfterIt() {
    recorder.mayLead(true);
    opened(recorder.owns());
    recorder.mayLead(false); // the majority was away, with nothing in flight
    recorder.mayLead(true);
    clock.advance(Duration.ofHours(3));
    recorder.lostOrGivenBack();
    clock.advance(Duration.ofMillis(10));
    opened(recorder.owns());

    assertThat(counted().takeoverNanos().sum()).isEqualTo(10_000_000);
  }

  @Test
  void lossWithoutLeadershipBeginsNoTakeover() {
    recorder.mayLead(true);
    recorder.mayLead(false);
    recorder.lostOrGivenBack();
    clock.advance(Duration.ofHours(3));
    recorder.mayLead(true);
    clock.advance(Duration.ofMillis(10));
    opened(recorder.owns());

    assertThat(counted().takeoverNanos().sum()).isEqualTo(10_000_000);
  }

  @Test
  void leadershipThatBeginsAnewDoesNotShortenTheTakeoverThatIsUnderWay() {
    recorder.mayLead(true);
    clock.advance(Duration.ofMillis(10));
    Taken taken = recorder.owns();
    clock.advance(Duration.ofMillis(10));
    recorder.mayLead(false);
    recorder.mayLead(true);
    recorder.owns(); // before the objects of the first one are open
    clock.advance(Duration.ofMillis(10));
    opened(taken);

    assertThat(counted().takeoverNanos().sum()).isEqualTo(30_000_000);
    assertThat(taken.ownedNanos() - taken.beganNanos()).isEqualTo(10_000_000);
  }

  @Test
  void openingThatFailedIsPartOfTheTakeover() {
    recorder.mayLead(true);
    recorder.owns();
    clock.advance(Duration.ofMillis(10));
    opened(recorder.owns());

    assertThat(counted().takeoverNanos().sum()).isEqualTo(10_000_000);
  }

  @Test
  void endIsAsPlannedOrALoss() {
    recorder.ended(7, null);
    recorder.ended(9, new IllegalStateException("planned"));
    recorder.ended(11, new IllegalStateException("planned"));

    assertThat(counted().ownerships()).isEqualTo(new Ownerships(0, 1, 2));
    assertThat(counted().minus(counted()).ownerships()).isEqualTo(new Ownerships(0, 0, 0));
  }
}
