package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.disk.FileDisk;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

/** What the state machine of a shard makes of a log that changes its mind. */
final class ShardStateMachineTest {

  private final List<String> seen = new ArrayList<>();

  private final CompletableFuture<TermIndex> fetch = new CompletableFuture<>();

  private ShardStateMachine machine = machine(6);

  private ShardStateMachine machine(long applied) {
    return new ShardStateMachine(
        (ShardStateMachine.Log)
            Proxy.newProxyInstance(
                ShardStateMachine.Log.class.getClassLoader(),
                new Class<?>[] {ShardStateMachine.Log.class},
                (_, method, arguments) -> {
                  seen.add(method.getName() + " " + arguments[0]);
                  return switch (method.getName()) {
                    case "isContinuedBy" -> false;
                    case "fetch" -> fetch;
                    default -> null;
                  };
                }),
        new FileDisk(),
        applied);
  }

  private void apply(long index) {
    LogEntryProto entry =
        LogEntryProto.newBuilder()
            .setTerm(32)
            .setIndex(index)
            .setStateMachineLogEntry(
                StateMachineLogEntryProto.newBuilder().setLogData(ByteString.copyFromUtf8("x")))
            .build();
    machine.applyTransaction(
        TransactionContext.newBuilder()
            .setServerRole(RaftPeerRole.FOLLOWER)
            .setStateMachine(machine)
            .setLogEntry(entry)
            .build());
  }

  @Test
  void whatTheLogTakesBackIsToldIfTheReplicaHasIt() {
    apply(7);
    machine.truncate(8).join(); // as after each change of the leader
    assertThat(seen).containsExactly("apply 7");

    machine.truncate(7).join();
    assertThat(seen).containsExactly("apply 7", "takenBack 7");
  }

  @Test
  void whatTheReplicaHasFromEarlierRunsCountsToo() {
    machine.truncate(7).join();
    assertThat(seen).isEmpty();

    machine.truncate(6).join();
    assertThat(seen).containsExactly("takenBack 6");
  }

  @Test
  void aReplicaThatHasNothingLosesNothingWithTheFirstEntry() {
    machine = machine(RatisLog.NONE);
    machine.truncate(0).join(); // the first leader was replaced before a majority had its entry
    assertThat(seen).isEmpty();

    apply(1);
    machine.truncate(1).join();
    assertThat(seen).containsExactly("apply 1", "takenBack 1");
  }

  private CompletableFuture<TermIndex> notified(long first) {
    return machine.notifyInstallSnapshotFromLeader(
        RoleInfoProto.getDefaultInstance(), TermIndex.valueOf(32, first));
  }

  /** Ratis reports a failure as an error, and nothing is wrong. */
  @Test
  void theLeaderOfThenIsAnsweredAndNothingFails() {
    CompletableFuture<TermIndex> asked = notified(20);
    assertThat(seen).containsExactly("isContinuedBy 20", "fetch 20");

    TermIndex place = TermIndex.valueOf(32, 25);
    fetch.complete(place);
    assertThat(asked).isNotDone();
    assertThat(seen).endsWith("askAgain 20");

    assertThat(notified(22)).isCompletedWithValue(place);
    assertThat(seen).doesNotContain("fetch 22");
  }

  @Test
  void whatCouldNotBeFetchedIsAskedForAgain() {
    CompletableFuture<TermIndex> asked = notified(20);

    fetch.completeExceptionally(new IllegalStateException("no other node has it now"));

    assertThat(asked).isNotDone();
    assertThat(seen).endsWith("askAgain 20");
    notified(20);
    assertThat(seen).endsWith("fetch 20", "askAgain 20");
  }

  /** The next leader may say nothing: it must not wait for the end of what another has begun. */
  @Test
  void aReplicaThatTakesTheLogFromItsStartHoldsNoOtherLeader() {
    machine = machine(RatisLog.NONE);
    CompletableFuture<TermIndex> asked = notified(1);

    fetch.complete(null);

    assertThat(asked).isNotDone();
    assertThat(seen).containsExactly("isContinuedBy 1", "fetch 1", "askAgain 1");
    assertThat(notified(1)).isCompletedWithValue(null);
    assertThat(seen).hasSize(3);
  }

  /** The leader of then had all entries and asked nothing; much later another one asks. */
  @Test
  void whatWasFetchedForAnEarlierQuestionIsNoAnswerToALaterOne() {
    var _ = notified(20);
    fetch.complete(TermIndex.valueOf(32, 25));
    apply(26); // of the log, which has followed

    CompletableFuture<TermIndex> later = notified(22);

    assertThat(later).as("the log would begin before entry 26 again").isNotDone();
    assertThat(seen).contains("fetch 22");
  }
}
