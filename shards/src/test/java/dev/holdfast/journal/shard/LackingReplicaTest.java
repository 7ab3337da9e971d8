package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica that took a log from its start though the log begins in the middle of the journal. */
final class LackingReplicaTest {

  private static final ShardHost.Owner NOBODY =
      new ShardHost.Owner() {
        @Override
        public void mayLead(boolean yes) {}

        @Override
        public void owns(ShardJournal journal) {}
      };

  @TempDir private Path directory;

  @Test
  void replicaThatLacksRecordsOfTheOwnerStopsAndSkipsNoGroups() {
    VirtualClock clock = new VirtualClock();
    try (ShardReplica replica =
        ShardReplica.open(
            directory,
            ShortSegments.OPTIONS,
            new ShardHost(
                new NodeId("d"), clock, Runnable::run, Runnable::run, Runnable::run, NOBODY))) {
      ByteBuffer open = new LogEntry.Open(7, 1, 2, 0, 12, 1, 0, new NodeId("a")).encode();
      assertThatThrownBy(() -> replica.apply(1, open))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("up to position 12")
          .hasMessageContaining("Remove this node from the cluster and add another");
      assertThat(replica.failure()).isNotNull();
      assertThat(replica.owner()).isNull();
    }
  }
}
