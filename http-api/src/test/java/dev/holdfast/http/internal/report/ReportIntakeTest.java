package dev.holdfast.http.internal.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.http.object.ReportedUse;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReportIntakeTest {

  private static final ReportedUse USE =
      new ReportedUse(
          true,
          "https://a.example/x.js",
          "example.com",
          "https://example.com/",
          Instant.EPOCH,
          null,
          false);

  @Test
  void reportsGoOnAfterAnErrorHasEndedTheStoringOfABatch() throws Exception {
    List<String> stored = new ArrayList<>();
    boolean[] failing = {true};
    ReportIntake intake =
        new ReportIntake(
            InstantSource.fixed(Instant.EPOCH),
            (zone, uses) -> {
              if (failing[0]) {
                failing[0] = false;
                throw new OutOfMemoryError("for a moment");
              }
              stored.add(zone);
            });
    Throwable first = catchThrowable(() -> intake.take("z", List.of(USE)));
    assertThat(first).isNotNull();

    CompletableFuture<Void> second =
        CompletableFuture.runAsync(() -> intake.take("z", List.of(USE)));
    second.get(5, TimeUnit.MINUTES);
    assertThat(stored).containsExactly("z");
  }
}
