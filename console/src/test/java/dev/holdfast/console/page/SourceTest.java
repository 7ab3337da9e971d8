package dev.holdfast.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.operator.OperatorRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What runs for pages is bounded. */
class SourceTest {

  private final CountDownLatch ended = new CountDownLatch(1);

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
      List<Integer> statuses = new ArrayList<>();
      for (int each = 0; each < 20; each++) {
        statuses.add(status(source));
      }
      assertThat(statuses.subList(0, 16)).isEqualTo(Collections.nCopies(16, 504));
      assertThat(statuses.subList(16, 20)).isEqualTo(Collections.nCopies(4, 503));
      ended.countDown();
      while (status(source) != 200) {
        Thread.onSpinWait();
      }
    }
  }
}
