package dev.holdfast.log.ratis.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.Polling;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.util.DataBlockingQueue;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.junit.jupiter.api.Test;

/** The writer of a log, which rests until there is an entry. */
final class RestingConditionTest {

  private static final TimeDuration MOMENT = TimeDuration.valueOf(1, TimeUnit.MILLISECONDS);

  private final DataBlockingQueue<String> queue =
      new DataBlockingQueue<>("test", SizeInBytes.valueOf(100), 10, String::length);
  private final RestingCondition resting = RestingCondition.takeOver(queue);
  private final CompletableFuture<String> taken = new CompletableFuture<>();
  private final Thread writer =
      Thread.ofPlatform()
          .daemon()
          .unstarted(
              () -> {
                try {
                  String entry = queue.poll(MOMENT);
                  taken.complete(entry == null ? "none" : entry);
                } catch (InterruptedException e) {
                  taken.completeExceptionally(e);
                }
              });

  private void rest() {
    writer.start();
    while (writer.getState() != Thread.State.TIMED_WAITING) {
      Polling.pause();
    }
  }

  @Test
  void entryEndsARest() {
    rest();

    queue.offer("entry");

    assertThat(taken.join()).isEqualTo("entry");
  }

  @Test
  void entryOfBeforeIsTakenAtOnce() {
    queue.offer("entry");
    writer.start();

    assertThat(taken.join()).isEqualTo("entry");
  }

  @Test
  void endEndsARest() {
    rest();

    resting.end();

    assertThat(taken.join()).isEqualTo("none");
  }

  @Test
  void entryIsTakenAfterTheEnd() {
    resting.end();
    queue.offer("entry");
    writer.start();

    assertThat(taken.join()).isEqualTo("entry");
  }
}
