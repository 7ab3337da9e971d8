package dev.holdfast.log.ratis.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.Polling;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A leader that rests as long as all members answer. */
final class LeaderEventsTest {

  private volatile boolean areAllHeard = true;

  private final LeaderEvents events = new LeaderEvents(3, () -> areAllHeard);
  private final AtomicReference<Thread> taker = new AtomicReference<>();

  private CompletableFuture<Object> taken() {
    CompletableFuture<Object> taken = new CompletableFuture<>();
    taker.set(
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    Object event = events.poll(1, TimeUnit.MILLISECONDS);
                    taken.complete(event == null ? "none" : event);
                  } catch (InterruptedException e) {
                    taken.completeExceptionally(e);
                  }
                }));
    return taken;
  }

  private void awaitRest() {
    while (taker.get().getState() != Thread.State.TIMED_WAITING) {
      Polling.pause();
    }
  }

  @Test
  void eventEndsARest() throws InterruptedException {
    CompletableFuture<Object> taken = taken();
    awaitRest();

    events.put("event");

    assertThat(taken.join()).isEqualTo("event");
  }

  @Test
  void eventOfBeforeIsTakenAtOnce() throws InterruptedException {
    events.put("event");

    assertThat(taken().join()).isEqualTo("event");
  }

  @Test
  void lookEndsARestWithoutAnEvent() {
    CompletableFuture<Object> taken = taken();
    awaitRest();

    events.look();

    assertThat(taken.join()).isEqualTo("none");
  }

  @Test
  void leaderThatMissesAnAnswerLooksInTime() {
    areAllHeard = false;

    assertThat(taken().join()).isEqualTo("none");
  }
}
