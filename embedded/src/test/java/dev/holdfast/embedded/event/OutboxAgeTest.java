package dev.holdfast.embedded.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.spi.disk.FileDisk;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events are kept for a consumer that is behind as long as the longest recovery window. */
final class OutboxAgeTest {

  private static final Duration WINDOW = NamespaceOptions.DEFAULT.recoveryWindow();

  @TempDir Path directory;

  @Test
  void eventsOlderThanTheLongestWindowAreNotKeptForAConsumer() {
    try (SmallSegments opened = new SmallSegments(directory, new FileDisk())) {
      consume(opened);
      opened.counter().increment();
      long place = status(opened).position();

      opened.clock.advance(WINDOW.minusSeconds(1));
      opened.counter().increment();
      assertThat(opened.consumers.historyFloor()).isLessThanOrEqualTo(place);
      assertThat(opened.journal.history().oldestPosition()).isLessThanOrEqualTo(place);

      opened.clock.advance(Duration.ofSeconds(2));
      opened.counter().increment();
      assertThat(opened.consumers.historyFloor()).isEqualTo(Long.MAX_VALUE);
      while (opened.journal.history().oldestPosition() <= place) {
        opened.counter().increment();
      }
      assertThat(status(opened).isCutOff()).isTrue();
      assertThatThrownBy(() -> consume(opened))
          .isInstanceOfSatisfying(
              ConsumerException.class,
              e -> assertThat(e.reason()).isEqualTo(ConsumerException.Reason.CUT_OFF));
    }
  }

  /** Runs the consumer for a moment; it handles nothing. */
  private static void consume(SmallSegments opened) {
    opened.runtime.consume(EmittingCounter.TOPIC, "index", Long.class, _ -> {}).close();
  }

  private static ConsumerStatus status(SmallSegments opened) {
    return opened.runtime.admin().consumers().getFirst();
  }
}
