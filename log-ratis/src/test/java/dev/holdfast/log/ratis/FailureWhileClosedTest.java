package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.FreePorts;
import dev.holdfast.faults.Polling;
import dev.holdfast.log.ratis.threads.RatisInternals;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An entry that cannot be read or applied while the log is closed does not hold the close. */
final class FailureWhileClosedTest {

  private static final NodeId NODE = new NodeId("a");

  /** What fails is the thread that passes entries on: here, with the entry itself. */
  private static final class FailingMachine extends BaseStateMachine {

    final CountDownLatch isApplying = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    final CountDownLatch leads = new CountDownLatch(1);

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
      return TransactionContext.newBuilder()
          .setStateMachine(this)
          .setClientRequest(request)
          .build();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext context) {
      LogEntryProto entry = context.getLogEntry();
      isApplying.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new IllegalStateException("Entry " + entry + " cannot be read.");
    }

    @Override
    public void notifyLeaderReady() {
      leads.countDown();
    }
  }

  @TempDir private Path directory;

  @Test
  void theShardIsLeft() throws Exception {
    closesThough((node, _) -> node.leave(0));
  }

  @Test
  void theMemberCloses() throws Exception {
    closesThough(
        (node, division) -> {
          division.closeLater();
          node.leave(0);
        });
  }

  @Test
  void theNodeCloses() throws Exception {
    closesThough((node, _) -> node.close());
  }

  private interface Close {

    void run(RatisNode node, LogDivision division);
  }

  private void closesThough(Close close) throws Exception {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.pairs(1).getFirst());
    FailingMachine machine = new FailingMachine();
    try (RatisNode node =
        RatisNode.open(
            RatisOptions.onLoopback("test", NODE, directory, Map.of(NODE, address))
                .withFailover(Duration.ofMillis(100)))) {
      LogDivision division = node.join(0, Map.of(NODE, address), machine, () -> false);
      division.takePart();
      machine.leads.await();
      while (!division.isReady()) {
        Polling.pause();
      }
      var _ = division.submit(ByteBuffer.allocate(16));
      machine.isApplying.await();
      AtomicReference<@Nullable Long> lastToApply = lastToApply(machine);

      Thread closing = Thread.ofPlatform().daemon().start(() -> close.run(node, division));
      while (lastToApply.get() == null) {
        Thread.onSpinWait(); // the close does not wait yet
      }
      machine.goOn.countDown();

      closing.join(Duration.ofMinutes(1));
      assertThat(closing.isAlive()).as("whether the close waits").isFalse();
    }
  }

  @SuppressWarnings("unchecked")
  private static AtomicReference<@Nullable Long> lastToApply(FailingMachine machine) {
    try {
      RaftServer.Division division = machine.getServer().join().getDivision(machine.getGroupId());
      Supplier<?> updater =
          (Supplier<?>)
              RatisInternals.valueOf(
                  RatisInternals.valueOf(division, "state"), "stateMachineUpdater");
      return (AtomicReference<@Nullable Long>) RatisInternals.valueOf(updater.get(), "stopIndex");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
