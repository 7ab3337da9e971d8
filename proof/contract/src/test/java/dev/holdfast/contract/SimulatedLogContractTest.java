package dev.holdfast.contract;

import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;

/** The simulated log keeps the contract, with faults and without. */
class SimulatedLogContractTest {

  @Nested
  final class WithoutFaults extends ReplicatedLogContract {

    @Override
    protected Shard open(Path place, List<NodeId> members) {
      return simulated(SimulatedLog.Faults.NONE, members);
    }
  }

  @Nested
  final class WithFaults extends ReplicatedLogContract {

    @Override
    protected Shard open(Path place, List<NodeId> members) {
      return simulated(new SimulatedLog.Faults(20, 50, 10), members);
    }
  }

  private static ReplicatedLogContract.Shard simulated(
      SimulatedLog.Faults faults, List<NodeId> members) {
    SimulatedLog log = SimulatedLog.byChance(new Random(23), faults).keptBy(members);
    return new ReplicatedLogContract.Shard() {
      @Override
      public ReplicatedLog on(NodeId node) {
        return log.on(node);
      }

      @Override
      public String addressOf(NodeId node) {
        return "";
      }

      @Override
      public boolean hasThreads() {
        return false;
      }

      @Override
      public void progress() {
        while (log.step()) {
          // until nothing is left to do
        }
      }

      @Override
      public void close() {}
    };
  }
}
