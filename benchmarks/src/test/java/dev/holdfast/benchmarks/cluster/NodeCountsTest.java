package dev.holdfast.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What nodes say of themselves, and when a cluster is even. */
class NodeCountsTest {

  @Test
  void countsAreReadAsTheyWereSaid() {
    NodeCounts before = new NodeCounts(10, 20, 30, 40);
    NodeCounts after = NodeCounts.ofWords("11 23 35 47");

    assertThat(NodeCounts.ofWords(before.toString())).isEqualTo(before);
    assertThat(after.since(before))
        .as("what is stored is no difference")
        .isEqualTo(new NodeCounts(11, 3, 5, 7));
  }

  @Test
  void aDifferenceOfOneIsEvenAndACopyTooManyIsNot() {
    assertThat(NodeProcesses.isEven(List.of(48, 48, 48, 48), 192)).isTrue();
    assertThat(NodeProcesses.isEven(List.of(13, 13, 13, 13, 12), 64)).isTrue();
    assertThat(NodeProcesses.isEven(List.of(48, 48, 48, 49), 192)).isFalse();
    assertThat(NodeProcesses.isEven(List.of(50, 48, 48, 46), 192)).isFalse();
  }
}
