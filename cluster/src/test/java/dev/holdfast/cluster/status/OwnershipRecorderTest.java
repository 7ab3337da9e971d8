package dev.holdfast.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

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

  @Test
  void takeoverBeginsWhenTheLogAllowsItAndEndsWhenTheObjectsAreOpen() {
    recorder.begins();
    clock.advance(Duration.ofMillis(5));
    recorder.begins(); // the claim is made again
    clock.advance(Duration.ofMillis(5));
    recorder.owns();
    clock.advance(Duration.ofMillis(20));
    recorder.opened(7, 1_000_000);

    HistogramSnapshot takeovers = counted().takeoverNanos();
    assertThat(takeovers.count()).isEqualTo(1);
    assertThat(takeovers.sum()).isEqualTo(30_000_000);
    assertThat(counted().ownerships()).isEqualTo(new Ownerships(1, 0, 0));
  }

  @Test
  void leadershipThatWasLostIsNoPartOfALaterTakeover() {
    recorder.begins();
    clock.advance(Duration.ofHours(1));
    recorder.givesUp();
    recorder.begins();
    clock.advance(Duration.ofMillis(10));
    recorder.owns();
    recorder.opened(7, 0);
    clock.advance(Duration.ofHours(1));
    recorder.owns(); // without a word of the log before
    clock.advance(Duration.ofMillis(1));
    recorder.opened(9, 0);

    assertThat(counted().takeoverNanos().sum()).isEqualTo(11_000_000);
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
