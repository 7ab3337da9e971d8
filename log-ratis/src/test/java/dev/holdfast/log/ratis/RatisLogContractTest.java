package dev.holdfast.log.ratis;

import dev.holdfast.contract.ReplicatedLogContract;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes of Ratis in one process, and one that is added, keep the contract. Each test is a
 * shard of its own.
 */
final class RatisLogContractTest extends ReplicatedLogContract {

  @TempDir private static Path directory;

  private static ThreeNodes cluster;
  private static int shards;

  @BeforeAll
  static void openNodes() {
    cluster = ThreeNodes.open(directory);
    cluster.startFourth();
  }

  @AfterAll
  static void closeNodes() {
    cluster.close();
  }

  @Override
  protected Shard open(Path place, List<NodeId> members) {
    int number = shards++;
    return new Shard() {
      @Override
      public ReplicatedLog on(NodeId node) {
        return cluster.node(node).log(number, stopped -> {});
      }

      @Override
      public String addressOf(NodeId node) {
        return cluster.addressOfFourth();
      }

      @Override
      public boolean hasThreads() {
        return true;
      }

      @Override
      public void progress() {
        throw new AssertionError("Ratis has threads of its own");
      }

      @Override
      public void close() {
        // The nodes close their shards all at once.
      }
    };
  }
}
