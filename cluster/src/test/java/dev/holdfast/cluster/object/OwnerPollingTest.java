package dev.holdfast.cluster.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is asked of the owner of a shard until it has ended. */
final class OwnerPollingTest {

  private final VirtualClock clock = new VirtualClock();
  private final OwnerPolling polling = new OwnerPolling(clock, Runnable::run);

  private int asked;
  private @Nullable RuntimeException failure;
  private @Nullable Long given;

  private @Nullable Long question() {
    asked++;
    RuntimeException thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    return given;
  }

  @Test
  void ownerIsAskedLessOftenTheLongerItNeeds() {
    CompletableFuture<Long> answer = polling.ask(this::question);
    assertThat(asked).isEqualTo(1);
    clock.advance(Duration.ofSeconds(2)); // after 0.5, 1.125 and 1.9 s
    assertThat(asked).isEqualTo(4);
    clock.advance(Duration.ofMinutes(2));
    asked = 0;
    clock.advance(Duration.ofMinutes(1));
    assertThat(asked).isEqualTo(6);

    given = 7L;
    clock.advance(Duration.ofSeconds(10));
    assertThat(answer).isCompletedWithValue(7L);
    asked = 0;
    clock.advance(Duration.ofMinutes(1));
    assertThat(asked).isZero();
  }

  @Test
  void shardWithoutAnOwnerIsAskedAgain() {
    failure =
        new ObjectUnavailableException(
            "things", ObjectId.of(new byte[32], null), Delivery.NOT_DELIVERED, "No owner", null);
    CompletableFuture<Long> answer = polling.ask(this::question);
    clock.advance(Duration.ofSeconds(3));
    assertThat(answer).isNotDone();
    failure = new ArchiveException("stopped", null);
    clock.advance(Duration.ofSeconds(10));
    assertThat(answer).isCompletedExceptionally();
    assertThatThrownBy(() -> polling.ask(this::question)).isSameAs(failure);
  }

  @Test
  void whatWasJustBegunIsAskedForLater() {
    given = 7L;
    CompletableFuture<Long> answer = polling.askLater(this::question);
    assertThat(asked).isZero();
    clock.advance(Duration.ofSeconds(1));
    assertThat(answer).isCompletedWithValue(7L);
  }

  @Test
  void firstFailureIsGivenWhileOthersAreAsked() {
    CompletableFuture<Long> slow = new CompletableFuture<>();
    CompletableFuture<Long> failing = new CompletableFuture<>();
    CompletableFuture<Void> all = OwnerPolling.allOf(List.of(slow, failing));
    failing.completeExceptionally(new ArchiveException("stopped", null));
    assertThatThrownBy(all::join).hasCauseInstanceOf(ArchiveException.class);

    CompletableFuture<Void> both =
        OwnerPolling.allOf(List.of(slow, CompletableFuture.completedFuture(1L)));
    assertThat(both).isNotDone();
    slow.complete(2L);
    assertThat(both).isCompleted();
  }
}
