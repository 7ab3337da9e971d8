package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.crash.nodes.Disturbance.Kind;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
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
      assertThat(each.text(List.of("a", "b", "c"))).startsWith("no").contains(" for ");
    }
    assertThat(drawn).containsOnlyKeys(Kind.values());
    assertThat(drawn.get(Kind.REPLACE)).isBetween(1_050, 1_350);
    assertThat(drawn.get(Kind.KILL)).isBetween(2_100, 2_500);
  }

  @Test
  void seedDrawsTheSameAgain() {
    SplittableRandom random = new SplittableRandom(7);
    SplittableRandom again = new SplittableRandom(7);
    for (int i = 0; i < 100; i++) {
      assertThat(Disturbance.draw(random, 4, 5)).isEqualTo(Disturbance.draw(again, 4, 5));
    }
  }
}
