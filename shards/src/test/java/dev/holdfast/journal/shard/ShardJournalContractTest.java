package dev.holdfast.journal.shard;

import dev.holdfast.TimeSource;
import dev.holdfast.contract.JournalContract;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The journal of a shard of one node keeps the contract of a journal. */
final class ShardJournalContractTest extends JournalContract {

  private static final NodeId NODE = new NodeId("a");

  private final ExecutorService logThread = Executors.newSingleThreadExecutor();
  private final ExecutorService proposer = Executors.newSingleThreadExecutor();
  private final ExecutorService notifier = Executors.newSingleThreadExecutor();
  private final ExecutorService saver = Executors.newSingleThreadExecutor();

  private final SimulatedLog log = SimulatedLog.reliable(logThread);

  @Override
  protected void end() {
    for (ExecutorService each : new ExecutorService[] {logThread, proposer, notifier, saver}) {
      each.close();
    }
  }

  @Override
  protected Opened open(Path place, TimeSource time) {
    CompletableFuture<ShardJournal> owned = new CompletableFuture<>();
    ShardReplica replica =
        ShardReplica.open(
            place,
            ShortSegments.OPTIONS,
            new ShardHost(NODE, time, saver, proposer, notifier, new FirstOwnership(owned)));
    ReplicatedLog node = log.on(NODE);
    replica.start(node);
    replica.claim();
    ShardJournal journal = owned.join();
    return new Opened() {
      @Override
      public Journal journal() {
        return journal;
      }

      @Override
      public RecoveryLog recovered() {
        return journal.recoveryLog();
      }

      @Override
      public void close() {
        journal.close();
        node.close();
        replica.close();
      }
    };
  }

  private record FirstOwnership(CompletableFuture<ShardJournal> owned) implements ShardHost.Owner {

    @Override
    public void mayLead(boolean yes) {}

    @Override
    public void owns(ShardJournal journal) {
      owned.complete(journal);
    }
  }
}
