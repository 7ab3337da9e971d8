package dev.holdfast.log.ratis.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A signal that is given while nobody waits. */
final class LatchedSignalTest {

  private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

  private final LatchedSignal signal = new LatchedSignal("test", _ -> DAY_NANOS);

  @Test
  void signalThatCameBeforeEndsTheNextWait() throws InterruptedException {
    signal.signal();
    signal.signal();

    assertThat(signal.await(1, TimeUnit.MILLISECONDS)).isTrue();
  }

  @Test
  void signalEndsAWait() {
    CompletableFuture<Boolean> wait =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return signal.await(1, TimeUnit.MILLISECONDS);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            task -> Thread.ofVirtual().start(task));

    signal.signal();

    assertThat(wait.join()).isTrue();
  }

  @Test
  void waitOfNoTimeIsNone() throws InterruptedException {
    signal.signal();

    assertThat(signal.await(0, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(signal.await(1, TimeUnit.MILLISECONDS)).as("still given").isTrue();
  }

  @Test
  void waitEndsWithoutASignal() throws InterruptedException {
    assertThat(new LatchedSignal("test", asked -> asked).await(1, TimeUnit.MILLISECONDS)).isFalse();
  }
}
