package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a report of a node says of its copies. */
final class PlacementLookTest {

  private static final String C = "c=127.0.0.1:7401";

  private static final Configuration AGREED =
      Configuration.of(5, Map.of(new NodeId("c"), "127.0.0.1:7401"));

  private static Map<String, @Nullable Object> report(long heard, Long... kept) {
    Map<String, @Nullable Object> report = new HashMap<>();
    report.put("members", Map.of(0L, List.of(heard, C)));
    report.put("keeps", List.of(kept));
    return report;
  }

  /** Its owner has given it the copy since the report, and has said so in its own. */
  @Test
  void nodeThatHasNotHeardOfItsCopyDoesNotLackIt() {
    assertThat(PlacementLook.lacks(report(4), 0, AGREED)).isFalse();
    assertThat(PlacementLook.lacks(new HashMap<>(), 0, AGREED)).isFalse();
    assertThat(PlacementLook.lacks(report(5, 0L), 0, AGREED)).isFalse();
    assertThat(PlacementLook.lacks(report(5, 1L), 0, AGREED)).isTrue();
    assertThat(PlacementLook.lacks(report(6), 0, AGREED)).isTrue();
  }
}
