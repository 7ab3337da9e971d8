package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.PlannedClose;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** In which order a planned move does what. The opener is a queue that the test runs. */
final class PlannedMovesTest {

  private static final NodeId B = new NodeId("b");
  private static final Duration FAILOVER = Duration.ofSeconds(2);

  private final VirtualClock time = new VirtualClock();
  private final Queue<Runnable> opener = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private Runnable forward = () -> done.add("nothing was asked");
  private boolean isOpen = true;
  private boolean hasFailed;

  /** Whether the objects are open, so that the log gets a release. */
  private boolean isReleased;

  private final PlannedMoves moves =
      new PlannedMoves(
          7, new NodeId("a"), time, FAILOVER.toNanos(), new Copies(), new TestedShard());

  private final class Copies implements PlannedMoves.Others {

    @Override
    public boolean isPresent(NodeId node) {
      return true;
    }

    @Override
    public void bringForward(NodeId node, Runnable ended) {
      done.add(node + " is to come forward");
      forward = ended;
    }

    @Override
    public Optional<NodeId> successor() {
      return Optional.of(B);
    }

    @Override
    public void transferTo(NodeId node) {
      done.add(node + " is to lead");
    }
  }

  private final class TestedShard implements PlannedMoves.Shard, PlannedClose {

    @Override
    public boolean later(Runnable task) {
      return opener.add(task);
    }

    @Override
    public @Nullable CompletableFuture<?> objects() {
      return isOpen ? CompletableFuture.completedFuture(this) : null;
    }

    @Override
    public @Nullable PlannedClose openObjects() {
      return isOpen ? this : null;
    }

    @Override
    public void closeForMove(Runnable released) {
      if (isReleased) {
        done.add("released");
        released.run();
      }
      done.add("closed");
      isOpen = false;
    }

    @Override
    public boolean mayLead() {
      return true;
    }

    @Override
    public void goOn() {
      done.add("goes on");
    }

    @Override
    public BooleanSupplier running() {
      return () -> false;
    }

    @Override
    public boolean hasFailed() {
      return hasFailed;
    }

    @Override
    public Duration closeTimeout() {
      return Duration.ofSeconds(30);
    }

    @Override
    public void limitClose(Duration limit) {}
  }

  private void runOpener() {
    for (Runnable task = opener.poll(); task != null; task = opener.poll()) {
      task.run();
    }
  }

  private CompletableFuture<NodeId> begin() {
    CompletableFuture<NodeId> moved = moves.begin(B);
    runOpener();
    return moved;
  }

  /** So callers wait only for what was written since. */
  @Test
  void objectsTakeCallsUntilTheOtherNodeHasComeForward() {
    CompletableFuture<NodeId> moved = begin();

    assertThat(done).containsExactly("b is to come forward");
    assertThat(moves.isUnderWay()).isTrue();
    assertThat(moves.isMoving()).isFalse();

    forward.run();
    runOpener();
    assertThat(done).containsExactly("b is to come forward", "closed", "b is to lead");

    moves.taken(B);
    assertThat(moved).isCompletedWithValue(B);
  }

  /** Callers wait for the other node, and not for the files of this one. */
  @Test
  void otherNodeIsToLeadBeforeTheFilesAreClosed() {
    isReleased = true;
    CompletableFuture<NodeId> moved = begin();

    forward.run();
    runOpener();
    assertThat(done).containsExactly("b is to come forward", "released", "b is to lead", "closed");

    time.advance(Duration.ofMillis(99));
    runOpener();
    assertThat(done).endsWith("closed");
    time.advance(Duration.ofMillis(1));
    runOpener();
    assertThat(done).endsWith("closed", "b is to lead"); // the log was not ready for it

    moves.taken(B);
    assertThat(moved).isCompletedWithValue(B);
  }

  @Test
  void nodeThatDoesNotComeForwardHoldsTheMoveForALimitedTime() {
    CompletableFuture<NodeId> moved = begin();

    time.advance(Duration.ofNanos(PlannedMoves.FORWARD_NANOS_MAX - 1));
    runOpener();
    assertThat(done).containsExactly("b is to come forward");

    time.advance(Duration.ofNanos(1));
    runOpener();
    assertThat(done).containsExactly("b is to come forward", "closed", "b is to lead");

    forward.run(); // too late
    runOpener();
    assertThat(done).containsOnlyOnce("closed");
    moves.taken(B);
    assertThat(moved).isCompletedWithValue(B);
  }

  /** They take no calls, so nothing is gained. */
  @Test
  void objectsThatHaveFailedAreMovedAtOnce() {
    hasFailed = true;

    begin();

    assertThat(done).containsExactly("closed", "b is to lead");
  }

  @Test
  void moveEndsIfTheOwnershipIsLostMeanwhile() {
    CompletableFuture<NodeId> moved = begin();
    isOpen = false;

    forward.run();
    runOpener();

    assertThat(done).containsExactly("b is to come forward", "goes on");
    assertThat(moved).isCompletedExceptionally();
    assertThat(moves.isUnderWay()).isFalse();
  }

  @Test
  void moveThatHasEndedMeanwhileClosesNothing() {
    CompletableFuture<NodeId> moved = begin();
    moves.taken(B); // by an election

    forward.run();
    runOpener();

    assertThat(done).containsExactly("b is to come forward");
    assertThat(moved).isCompletedWithValue(B);
  }
}
