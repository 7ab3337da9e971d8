package dev.holdfast.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What a node looks at by itself. */
final class NodeWatchTest {

  private final VirtualClock clock = new VirtualClock();

  private List<Integer> ownerless = List.of();
  private long usableBytes = 100;

  private NodeWatch watch() {
    return watch(Runnable::run, Runnable::run);
  }

  private NodeWatch watch(Executor threads, Executor files) {
    return new NodeWatch(
        "a",
        clock,
        threads,
        files,
        Duration.ofSeconds(2),
        () -> ownerless,
        this::usableBytes,
        Optional::empty);
  }

  private long usableBytes() throws IOException {
    if (usableBytes < 0) {
      throw new IOException("planned");
    }
    return usableBytes;
  }

  @Test
  void shardWithoutOwnerForLongerThanAFailoverIsReportedOnceUntilItHasOneAgain() {
    NodeWatch watch = watch();
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(10));
    ownerless = List.of(1, 2);
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(1));
    ownerless = List.of(0, 2);
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(1));
    assertThat(watch.unreported()).containsExactly(2);
    clock.advance(Duration.ofSeconds(1));
    assertThat(watch.unreported()).containsExactly(0);
    clock.advance(Duration.ofSeconds(9));
    assertThat(watch.unreported()).isEmpty();

    ownerless = List.of();
    assertThat(watch.unreported()).isEmpty();
    ownerless = List.of(2);
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(2));
    assertThat(watch.unreported()).containsExactly(2);
  }

  /** As in each planned move: health stays up, and so does a readiness probe. */
  @Test
  void healthWaitsForAnOwnerAsLongAsTheLogDoes() {
    NodeWatch watch = watch();
    assertThat(watch.overdue(List.of())).isEmpty();
    clock.advance(Duration.ofSeconds(20));
    assertThat(watch.overdue(List.of(1))).isEmpty();
    clock.advance(Duration.ofMillis(1_999));
    assertThat(watch.overdue(List.of(1, 2))).isEmpty();
    clock.advance(Duration.ofMillis(1));
    assertThat(watch.overdue(List.of(1, 2))).containsExactly(1);
    ownerless = List.of(1, 2);
    assertThat(watch.unreported()).as("one time for both").containsExactly(1);

    assertThat(watch.overdue(List.of(2))).isEmpty();
    assertThat(watch.overdue(List.of(1, 2))).as("lost again").isEmpty();
  }

  /** It must not be ready before it has worked. */
  @Test
  void healthOfANodeThatIsOpenedDoesNotWait() {
    NodeWatch watch = watch();
    clock.advance(Duration.ofSeconds(1));
    assertThat(watch.overdue(List.of(0, 1))).containsExactly(0, 1);
    clock.advance(Duration.ofSeconds(1));
    assertThat(watch.overdue(List.of(1))).containsExactly(1);
    assertThat(watch.overdue(List.of(0))).as("moved").isEmpty();
  }

  @Test
  void firstElectionsTakeTheirTime() {
    NodeWatch watch = watch();
    ownerless = List.of(1);
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(9));
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(1));
    assertThat(watch.unreported()).containsExactly(1);
  }

  /** Many shards of a first start have them one after the other. */
  @Test
  void firstElectionsAreWaitedForAsLongAsTheyGoOn() {
    NodeWatch watch = watch();
    ownerless = List.of(1, 2, 3);
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(9));
    ownerless = List.of(2, 3);
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(9));
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(1));
    assertThat(watch.unreported()).containsExactly(2, 3);

    ownerless = List.of();
    assertThat(watch.unreported()).isEmpty();
    ownerless = List.of(1);
    assertThat(watch.unreported()).isEmpty();
    clock.advance(Duration.ofSeconds(2));
    assertThat(watch.unreported()).as("the opening has ended").containsExactly(1);
  }

  @Test
  void diskIsAskedForItsUsableBytesOnceASecondUntilTheClose() {
    NodeWatch watch = watch();
    assertThat(watch.diskUsableBytes()).isEqualTo(-1);
    watch.begin();
    assertThat(watch.diskUsableBytes()).isEqualTo(100);
    usableBytes = 90;
    assertThat(watch.diskUsableBytes()).isEqualTo(100);
    clock.advance(Duration.ofSeconds(1));
    assertThat(watch.diskUsableBytes()).isEqualTo(90);
    usableBytes = -1;
    clock.advance(Duration.ofSeconds(1));
    assertThat(watch.diskUsableBytes()).isEqualTo(-1);
    watch.close();
    usableBytes = 80;
    clock.advance(Duration.ofSeconds(5));
    assertThat(watch.diskUsableBytes()).isEqualTo(-1);
  }

  @Test
  void lookThatHangsIsNotBegunAgain() {
    Queue<Runnable> hanging = new ArrayDeque<>();
    NodeWatch watch = watch(hanging::add, hanging::add);
    watch.begin();
    clock.advance(Duration.ofSeconds(5));
    assertThat(hanging).hasSize(2);
    hanging.remove().run();
    hanging.remove().run();
    clock.advance(Duration.ofSeconds(1));
    assertThat(hanging).hasSize(2);
  }

  @Test
  void usableBytesAreNotKnownWhenTheDiskHasNotAnsweredForSeconds() {
    Queue<Runnable> hanging = new ArrayDeque<>();
    NodeWatch watch = watch(Runnable::run, hanging::add);
    watch.begin();
    hanging.remove().run();
    clock.advance(Duration.ofSeconds(4));
    assertThat(watch.diskUsableBytes()).isEqualTo(100);
    clock.advance(Duration.ofSeconds(2));
    assertThat(watch.diskUsableBytes()).isEqualTo(-1);
    hanging.remove().run();
    assertThat(watch.diskUsableBytes()).isEqualTo(100);
  }
}
