package dev.holdfast.cluster.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that wait to be added: what is written of them, and which could never be added. */
final class RefusedCallersTest {

  @TempDir private Path directory;

  private static ClusterException waiting(String node) {
    return new ClusterException(
        Reason.NOT_A_MEMBER, node + " waits", new ConnectionErrors.WaitsToBeAdded());
  }

  @Test
  void waitingNodeBeyondTheFirstHundredIsNamedOnceAMinute() {
    VirtualClock clock = new VirtualClock();
    RefusedCallers callers = new RefusedCallers(new NodeId("a"), clock);
    List<String> lines = new ArrayList<>();
    Logger log = Logger.getLogger("dev.holdfast");
    Filter before = log.getFilter();
    Level level = log.getLevel();
    log.setLevel(Level.INFO);
    log.setFilter(
        line -> {
          lines.add(String.valueOf(line.getParameters()[0]));
          return false;
        });
    try {
      for (int i = 0; i < 100; i++) {
        callers.refused(waiting("n" + i));
      }
      assertThat(lines).hasSize(100);
      lines.clear();
      callers.refused(waiting("late"));
      callers.refused(waiting("later"));
      clock.advance(Duration.ofMinutes(1));
      callers.refused(waiting("later"));
    } finally {
      log.setFilter(before);
      log.setLevel(level);
    }
    assertThat(lines).containsExactly("late waits", "later waits");
  }

  /** It would wait for ever, and an operator would hear it only when the node is added. */
  @Test
  void nodeThatWaitsWithAnotherNumberOfShardsHearsIt() throws Exception {
    try (TwoNodes nodes = new TwoNodes(directory)) {
      EndpointOptions a = nodes.optionsA;
      nodes.members.remove(TwoNodes.A);
      nodes.isMade = true;
      nodes.optionsA =
          new EndpointOptions(
              a.cluster(),
              a.node(),
              a.incarnation(),
              a.opening(),
              Members.UNKNOWN_LINEAGE,
              a.shards() + 1,
              a.address(),
              a.tls(),
              false,
              a.silence());
      nodes.open();

      CallOutcome outcome = TwoNodes.outcome(nodes.send(TwoNodes.value("hello")));

      assertThat(outcome)
          .isInstanceOfSatisfying(
              CallOutcome.NotSent.class,
              notSent -> {
                assertThat(notSent.why().reason()).isEqualTo(Reason.SHARDS);
                assertThat(notSent.why()).hasMessageContaining("has 2 shards, node b has 1");
              });
    }
  }
}
