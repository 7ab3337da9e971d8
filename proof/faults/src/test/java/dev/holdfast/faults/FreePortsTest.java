package dev.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FreePortsTest {

  @Test
  void pairsHaveNoPortInCommonAndAreBelowThoseOfConnections() throws Exception {
    List<Integer> ports = new ArrayList<>();
    for (int call = 0; call < 2; call++) {
      for (int first : FreePorts.pairs(50)) {
        ports.add(first);
        ports.add(first + 1);
      }
    }

    assertThat(ports).hasSize(200).doesNotHaveDuplicates().allMatch(port -> port > 9_999);
    assertThat(ports).allMatch(port -> port < 30_000);
  }
}
