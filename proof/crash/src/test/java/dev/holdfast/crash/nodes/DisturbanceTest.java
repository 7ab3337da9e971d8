package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.crash.nodes.Disturbance.Kind;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a seed draws. */
final class DisturbanceTest {

  @Test
  void everyKindIsDrawnAndReplacementsAreRare() {
    SplittableRandom random = new SplittableRandom(1);
    Map<Kind, Integer> drawn = new EnumMap<>(Kind.class);
    for (int i = 0; i < 10_000; i++) {
      Disturbance each = Disturbance.draw(random, 4, 3);
      drawn.merge(each.kind(), 1, Integer::sum);
      assertThat(each.text(List.of("a", "b", "c"))).contains("node", " for ");
    }
    assertThat(drawn)
        .hasSize(Kind.values().length - 4)
        .doesNotContainKeys(Kind.JOIN, Kind.LEAVE, Kind.LOSE_DISK, Kind.ROLL);
    assertThat(drawn.get(Kind.REPLACE)).isBetween(900, 1_170);
    assertThat(drawn.get(Kind.KILL)).isBetween(1_570, 1_880);
    assertThat(drawn.get(Kind.RESTART)).isBetween(570, 810);
    assertThat(drawn.get(Kind.MOVE)).isBetween(570, 810);
  }

  @Test
  void nodesJoinAndLeaveIfThereAreMoreThanCopies() {
    SplittableRandom random = new SplittableRandom(1);
    Map<Kind, Integer> drawn = new EnumMap<>(Kind.class);
    for (int i = 0; i < 10_000; i++) {
      Disturbance each = Disturbance.drawOfMany(random, 12, 6);
      drawn.merge(each.kind(), 1, Integer::sum);
      assertThat(each.text(List.of("a", "b", "c", "d", "e", "f"))).contains("node", " for ");
    }
    assertThat(drawn).containsOnlyKeys(Kind.values());
  }

  @Test
  void seedDrawsTheSameAgain() {
    SplittableRandom random = new SplittableRandom(7);
    SplittableRandom again = new SplittableRandom(7);
    for (int i = 0; i < 100; i++) {
      assertThat(Disturbance.draw(random, 4, 5)).isEqualTo(Disturbance.draw(again, 4, 5));
    }
  }

  @Test
  void clocksAreAnHourAheadOrBehind() {
    SplittableRandom random = new SplittableRandom(3);
    List<Duration> drawn =
        IntStream.range(0, 1_000)
            .mapToObj(_ -> Disturbance.draw(random, 4, 3))
            .map(Disturbance::clockOff)
            .distinct()
            .toList();
    assertThat(drawn).containsExactlyInAnyOrder(Duration.ofHours(1), Duration.ofHours(-1));
  }
}
