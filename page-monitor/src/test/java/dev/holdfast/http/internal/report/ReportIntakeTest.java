package dev.holdfast.http.internal.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.http.monitor.object.ReportedUse;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
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
          false,
          "10.0.0.1");

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
    Throwable first = catchThrowable(() -> intake.take("z", "10.0.0.1", List.of(USE)));
    assertThat(first).isNotNull();

    CompletableFuture<Void> second =
        CompletableFuture.runAsync(() -> intake.take("z", "10.0.0.1", List.of(USE)));
    second.get(5, TimeUnit.MINUTES);
    assertThat(stored).containsExactly("z");
  }

  @Test
  void sourceThatSendsManyHasTheFirstOfEachBodyTakenAndLeavesRoomForOthers() {
    List<ReportedUse> stored = new ArrayList<>();
    ReportIntake intake =
        new ReportIntake(InstantSource.fixed(Instant.EPOCH), (zone, uses) -> stored.addAll(uses));
    List<ReportedUse> many = Collections.nCopies(100, USE);
    for (int i = 0; i < 60; i++) {
      intake.take("z", "10.0.0.1", many);
    }
    assertThat(stored).hasSize(1_000 + 50);

    intake.take("z", "10.0.0.1", List.of(USE));
    assertThat(stored).hasSize(1_051);
    assertThat(intake.isSpent("z", "10.0.0.1")).isFalse();
    for (int i = 0; i < 10_000; i++) {
      intake.take("z", "10.0.0.1", many);
    }
    assertThat(stored).hasSize(2_500);
    assertThat(intake.isSpent("z", "10.0.0.1")).isTrue();
    assertThat(intake.isSpent("z", "10.0.0.2")).isFalse();
    assertThat(intake.isSpent("y", "10.0.0.1")).isFalse();
    intake.take("z", "10.0.0.2", many);
    assertThat(stored).hasSize(2_600);
  }

  @Test
  void sourceIsANetwork() {
    assertThat(ReportIntake.source("10.1.2.3")).isEqualTo("10.1.2.3");
    assertThat(ReportIntake.source("2001:db8:1:2::3"))
        .isEqualTo(ReportIntake.source("[2001:db8:1:2:ffff::]"))
        .isNotEqualTo(ReportIntake.source("2001:db8:1:3::3"));
    assertThat(ReportIntake.source("::ffff:10.1.2.3")).isEqualTo("10.1.2.3");
    assertThat(ReportIntake.source("x:y")).isEqualTo("x:y");
    assertThat(ReportIntake.source("x".repeat(100))).hasSize(64);
  }
}
