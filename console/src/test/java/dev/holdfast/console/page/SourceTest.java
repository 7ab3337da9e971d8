package dev.holdfast.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.operator.OperatorRequest;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What runs for pages is bounded. */
class SourceTest {

  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicInteger begun = new AtomicInteger();

  private static int status(Source source) {
    try {
      source.ask(OperatorRequest.of("diff"), 1);
      return 200;
    } catch (PageException e) {
      return e.status();
    }
  }

  @Test
  void operationsThatNoPageWaitsForTakeRoomUntilTheyEnd() {
    try (Source source =
        new Source(
            (request, answers) -> {
              begun.incrementAndGet();
              boolean isEnded = false;
              while (!isEnded) {
                try {
                  ended.await();
                  isEnded = true;
                } catch (InterruptedException e) {
                  // This one does not give up.
                }
              }
              return null;
            },
            Duration.ofMillis(1))) {
      while (begun.get() < 16) { // one may be cancelled before it begins
        assertThat(status(source)).isIn(504, 503);
      }
      for (int each = 0; each < 4; each++) {
        assertThat(status(source)).isEqualTo(503);
      }
      assertThat(begun).hasValue(16);
      ended.countDown();
      while (status(source) != 200) {
        Thread.onSpinWait();
      }
    }
  }
}
