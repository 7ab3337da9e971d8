package dev.holdfast.cluster.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.call.CallOutcome.Failed;
import dev.holdfast.cluster.call.CallOutcome.NotSent;
import dev.holdfast.cluster.call.CallOutcome.Redirected;
import dev.holdfast.cluster.call.CallOutcome.RefusedCall;
import dev.holdfast.cluster.call.CallOutcome.Replied;
import dev.holdfast.cluster.call.CallOutcome.Unknown;
import dev.holdfast.cluster.call.CallOutcome.Withdrawn;
import dev.holdfast.cluster.call.CallRouter.Answer;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.cluster.frame.Frame.Thrown;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.statistics.ClusterStatistics.SentCalls;
import dev.holdfast.testkit.VirtualClock;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The router with a network that a test scripts, on a clock that stands still. */
final class RouterTest {

  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final ObjectId ID = ObjectId.of(new byte[32], null);
  private static final Value VALUE = new Value.Namespace("result");
  private static final CallUnderWay CALL =
      new CallUnderWay("carts", ID, "add()", List.of(), List.of(), List.of());
  private static final ClusterException GONE =
      new ClusterException(Reason.UNREACHABLE, "The node is gone.", null);

  private final VirtualClock clock = new VirtualClock();
  private final RoutingTable table = new RoutingTable(new ShardMap(2));

  // Guarded by this.
  private final List<String> asked = new ArrayList<>();
  private final ArrayDeque<CallOutcome> outcomes = new ArrayDeque<>();

  /** What is answered when the script is over; null for a call that never ends. */
  private @Nullable CallOutcome last = new Replied(VALUE);

  private static final class ThreeMembers implements Members {
    @Override
    public List<NodeId> nodes() {
      return List.of(A, B, C);
    }

    @Override
    public Optional<InetSocketAddress> addressOf(NodeId node) {
      return Optional.empty();
    }

    @Override
    public boolean met(NodeId node, long incarnation, long opening) {
      return true;
    }

    @Override
    public OptionalLong incarnationOf(NodeId node) {
      return OptionalLong.empty();
    }
  }

  private final NodeCounters counters = new NodeCounters();

  /** Runs while a call is sent. */
  private Runnable whileSent = () -> {};

  private synchronized PendingCall send(NodeId node, CallUnderWay call, long timeoutNanos) {
    whileSent.run();
    asked.add(node + "@" + Duration.ofNanos(clock.monotonicNanos()).toMillis());
    CallOutcome outcome = outcomes.isEmpty() ? last : outcomes.poll();
    return outcome == null ? new PendingCall(null, new byte[0]) : PendingCall.done(outcome);
  }

  private CallRouter router() {
    return new CallRouter(
        A, new ThreeMembers(), table, this::send, clock, counters, Duration.ofSeconds(10));
  }

  /** Makes a call on a thread of its own, and advances the clock until it has ended. */
  private <T> T ended(Function<CallRouter, T> use, @Nullable Runnable meanwhile) throws Throwable {
    CompletableFuture<T> end = new CompletableFuture<>();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    end.complete(use.apply(router()));
                  } catch (RuntimeException | Error e) {
                    end.completeExceptionally(e);
                  }
                });
    while (!end.isDone()) {
      if (caller.getState() == Thread.State.WAITING) {
        if (meanwhile != null) {
          meanwhile.run();
        }
        clock.untilNextTimer().ifPresent(clock::advance);
      }
      Thread.onSpinWait();
    }
    try {
      return end.get();
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }

  private Answer call() throws Throwable {
    return ended(router -> router.call(CALL, null, clock.monotonicNanos()), null);
  }

  private <T extends Throwable> T failure(Class<T> type, @Nullable Duration timeout) {
    try {
      ended(router -> router.call(CALL, timeout, clock.monotonicNanos()), null);
    } catch (Throwable e) {
      assertThat(e).isInstanceOf(type);
      return type.cast(e);
    }
    throw new AssertionError("no failure");
  }

  private static Redirected to(@Nullable NodeId owner, long epoch) {
    return new Redirected(
        0, owner == null ? Optional.empty() : Optional.of(new ShardOwnership(owner, epoch)));
  }

  @Test
  void knownOwnerIsCalled() throws Throwable {
    table.learn(0, new ShardOwnership(C, 4));

    assertThat(call()).isEqualTo(new Answer.Result(VALUE));
    assertThat(asked).containsExactly("c@0");
  }

  @Test
  void ownShardIsCalledHere() throws Throwable {
    table.learn(0, new ShardOwnership(A, 4));

    assertThat(call()).isEqualTo(new Answer.Here());
    assertThat(asked).isEmpty();
  }

  @Test
  void exceptionOfTheObjectEndsTheCall() throws Throwable {
    Thrown thrown = new Thrown("x.Y", null, "", List.of(), null);
    table.learn(0, new ShardOwnership(B, 4));
    outcomes.add(new Failed(thrown));

    assertThat(call()).isEqualTo(new Answer.Exceptional(thrown, B));
  }

  @Test
  void redirectIsFollowedAtOnce() throws Throwable {
    table.learn(0, new ShardOwnership(C, 4));
    outcomes.add(to(B, 9));

    assertThat(call()).isEqualTo(new Answer.Result(VALUE));
    assertThat(asked).containsExactly("c@0", "b@0");
    assertThat(table.ownerOf(0)).contains(new ShardOwnership(B, 9));
  }

  @Test
  void redirectToTheOwnNodeEndsHere() throws Throwable {
    table.learn(0, new ShardOwnership(C, 4));
    outcomes.add(to(A, 9));

    assertThat(call()).isEqualTo(new Answer.Here());
  }

  @Test
  void nodesThatSendTheCallInACircleAreAskedWithPauses() throws Throwable {
    table.learn(0, new ShardOwnership(C, 4));
    for (int i = 0; i < 3; i++) {
      outcomes.add(to(B, 4));
      outcomes.add(to(C, 4));
    }

    call();

    assertThat(asked).containsExactly("c@0", "b@0", "c@0", "b@0", "c@5", "b@5", "c@5");
  }

  @Test
  void olderOwnerIsNotFollowed() throws Throwable {
    table.learn(0, new ShardOwnership(C, 9));
    outcomes.add(to(B, 4));

    call();

    assertThat(asked).containsExactly("c@0", "c@5");
  }

  @Test
  void everyOtherMemberIsAskedWhenNoOwnerIsKnown() throws Throwable {
    outcomes.add(to(null, 0));
    outcomes.add(new NotSent(GONE));
    outcomes.add(new RefusedCall(RefusalReason.DRAINING, "Later."));
    outcomes.add(new RefusedCall(RefusalReason.UNKNOWN_METHOD, "Upgrade."));

    call();

    assertThat(asked).containsExactly("b@0", "c@5", "b@15", "c@95", "b@175");
  }

  /** Polling takes the processors from the move; a node with a copy hears of its end. */
  @Test
  void shardThatIsMovedIsAskedForRarely() throws Throwable {
    table.learn(0, new ShardOwnership(C, 4));
    outcomes.add(new RefusedCall(RefusalReason.DRAINING, "Shard 0 is being moved."));
    outcomes.add(to(null, 0));
    outcomes.add(to(null, 0));

    call();

    assertThat(asked).containsExactly("c@0", "c@80", "b@160", "c@240");
  }

  @Test
  void nodeWithAnOlderVersionOfHoldfastIsNotWaitedFor() {
    table.learn(0, new ShardOwnership(C, 4));
    outcomes.add(new RefusedCall(RefusalReason.UNKNOWN_METHOD, "Upgrade."));
    CallUnderWay ofShard =
        new CallUnderWay("$shard", ID, "operate([B)", List.of(), List.of(), List.of());

    assertThatThrownBy(
            () -> ended(router -> router.call(ofShard, null, clock.monotonicNanos()), null))
        .isInstanceOfSatisfying(
            ObjectUnavailableException.class,
            e -> assertThat(e.delivery()).isEqualTo(Delivery.NOT_DELIVERED))
        .hasMessageContaining("Install the same version of Holdfast on all nodes")
        .hasMessageContaining("node c runs an older version");
    assertThat(asked).containsExactly("c@0");
  }

  @ParameterizedTest
  @EnumSource(
      value = RefusalReason.class,
      names = {"UNKNOWN_NAMESPACE", "UNKNOWN_METHOD"})
  void ownerWithAnOlderVersionOfTheApplicationIsAskedUntilTheTimeIsOver(RefusalReason refusal) {
    table.learn(0, new ShardOwnership(C, 4));
    for (int i = 0; i < 1_000; i++) {
      outcomes.add(new RefusedCall(refusal, "Upgrade."));
    }

    assertThatThrownBy(this::call)
        .isInstanceOfSatisfying(
            ObjectUnavailableException.class,
            e -> assertThat(e.delivery()).isEqualTo(Delivery.NOT_DELIVERED))
        .hasMessageContaining("Install the same version of the application on all nodes");
    assertThat(asked).allMatch(each -> each.startsWith("c@"));
    assertThat(table.ownerOf(0)).contains(new ShardOwnership(C, 4));
  }

  @Test
  void callThatWaitsEndsWithItsNode() {
    for (int i = 0; i < 1_000; i++) {
      outcomes.add(new NotSent(GONE));
    }
    whileSent =
        () -> {
          if (outcomes.size() == 990) {
            table.close();
          }
        };

    assertThatThrownBy(this::call)
        .isInstanceOfSatisfying(
            ObjectUnavailableException.class,
            e -> assertThat(e.delivery()).isEqualTo(Delivery.NOT_DELIVERED))
        .hasMessageContaining("This node is closed");
    assertThat(outcomes).as("no attempt after that").hasSizeGreaterThanOrEqualTo(989);
  }

  @Test
  void pauseEndsWithTheNode() {
    table.close();

    assertThat(router().pause(ID, Long.MAX_VALUE)).isFalse();
  }

  @Test
  void ownerThatIsGoneIsForgotten() throws Throwable {
    table.learn(0, new ShardOwnership(C, 4));
    outcomes.add(new NotSent(GONE));
    outcomes.add(to(B, 9));

    call();

    assertThat(asked.getFirst()).isEqualTo("c@0");
    assertThat(table.ownerOf(0)).contains(new ShardOwnership(B, 9));
  }

  @Test
  void pauseEndsWhenTheNextOwnerIsKnown() throws Throwable {
    for (int i = 0; i < 7; i++) {
      outcomes.add(new NotSent(GONE));
    }
    // At the seventh attempt, before a pause of 320 ms.
    whileSent =
        () -> {
          if (outcomes.size() == 1) {
            clock.schedule(1_000_000, () -> table.learn(0, new ShardOwnership(C, 4)));
          }
        };

    call();

    assertThat(asked).endsWith("b@315", "c@316");
  }

  @Test
  void callThatFindsNoOwnerInTimeWasNotDelivered() {
    last = new NotSent(GONE);

    ObjectUnavailableException e = failure(ObjectUnavailableException.class, null);

    assertThat(e.delivery()).isEqualTo(Delivery.NOT_DELIVERED);
    assertThat(e)
        .hasMessageContaining("it has not begun and will not")
        .hasMessageContaining("The node is gone.")
        .hasMessageContaining("[object carts/")
        .hasCause(GONE);
    assertThat(clock.monotonicNanos()).isBetween(10_000_000_000L, 10_400_000_000L);
    // 5, 10, 20 and so on up to 320 ms.
    assertThat(asked).hasSizeBetween(35, 40);
  }

  @Test
  void lostOwnerIsUnknownAndNotRepeated() {
    table.learn(0, new ShardOwnership(C, 4));
    outcomes.add(new Unknown(GONE));

    ObjectUnavailableException e = failure(ObjectUnavailableException.class, null);

    assertThat(e.delivery()).isEqualTo(Delivery.UNKNOWN);
    assertThat(e).hasMessageContaining("Read what it has done before you repeat it.");
    assertThat(asked).containsExactly("c@0");
    assertThat(table.ownerOf(0)).isEmpty();
  }

  @Test
  void argumentThatTheOwnerCannotReadIsNotRepeated() {
    outcomes.add(new RefusedCall(RefusalReason.ARGUMENTS, "argument 1: no int"));

    assertThat(failure(UncopyableValueException.class, null))
        .hasMessageContaining("has not begun it: argument 1: no int");
    assertThat(asked).hasSize(1);
  }

  @Test
  void timeoutOfTheCallEndsItsAttempts() {
    last = new NotSent(GONE);

    ObjectCallTimeoutException e =
        failure(ObjectCallTimeoutException.class, Duration.ofMillis(100));

    assertThat(e.delivered()).isFalse();
    assertThat(e.timeout()).isEqualTo(Duration.ofMillis(100));
    assertThat(clock.monotonicNanos()).isBetween(100_000_000L, 160_000_000L);
  }

  @Test
  void timeoutOfACallThatMayHaveBegunSaysSo() {
    last = null;

    ObjectCallTimeoutException e =
        failure(ObjectCallTimeoutException.class, Duration.ofMillis(100));

    assertThat(e.delivered()).isTrue();
    assertThat(clock.monotonicNanos()).isEqualTo(300_000_000L);
  }

  @Test
  void timeThatIsOverWhenTheCallWasSentIsNoProofThatItHasNotBegun() {
    last = null;
    whileSent = () -> clock.advance(Duration.ofSeconds(1));

    ObjectCallTimeoutException e =
        failure(ObjectCallTimeoutException.class, Duration.ofMillis(100));

    assertThat(e.delivered()).isTrue();
  }

  private SentCalls sent() {
    return counters.snapshot(0, 0, Map.of(), -1).sent();
  }

  @Test
  void callsAreCountedOnceByTheirOutcome() throws Throwable {
    outcomes.add(to(C, 4));
    call();
    assertThat(sent()).isEqualTo(new SentCalls(1, 0, 0, 0, 0, 1));

    outcomes.add(new Failed(new Thrown("x.Y", null, "", List.of(), null)));
    call();
    outcomes.add(new RefusedCall(RefusalReason.ARGUMENTS, "argument 1: no int"));
    failure(UncopyableValueException.class, null);
    outcomes.add(new Unknown(GONE));
    failure(ObjectUnavailableException.class, null);
    assertThat(sent()).isEqualTo(new SentCalls(1, 1, 1, 1, 0, 1));

    last = new NotSent(GONE);
    failure(ObjectUnavailableException.class, null);
    last = null;
    failure(ObjectCallTimeoutException.class, Duration.ofMillis(100));
    assertThat(sent()).isEqualTo(new SentCalls(1, 1, 2, 1, 1, 1));

    table.learn(0, new ShardOwnership(A, 9));
    call();
    assertThat(sent()).isEqualTo(new SentCalls(1, 1, 2, 1, 1, 1));
  }

  @Test
  void callIsRecordedWithItsOutcome(@TempDir Path directory) throws Throwable {
    table.learn(0, new ShardOwnership(C, 4));
    outcomes.add(to(B, 9));
    List<RecordedEvent> events;
    try (Recording recording = new Recording()) {
      recording.enable("dev.holdfast.RemoteCall").withoutThreshold();
      recording.start();
      call();
      recording.stop();
      Path file = directory.resolve("calls.jfr");
      recording.dump(file);
      events = RecordingFile.readAllEvents(file);
    }

    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("dev.holdfast.RemoteCall"))
        .filteredOn(event -> CALL.id().toString().equals(event.getString("objectId")))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getString("namespace")).isEqualTo(CALL.namespace());
              assertThat(event.getString("operation")).isEqualTo(CALL.method());
              assertThat(event.getString("node")).isEqualTo("b");
              assertThat(event.getString("outcome")).isEqualTo("RETURNED");
              assertThat(event.getInt("attempts")).isEqualTo(2);
            });
  }

  @Test
  void callThatHasWaitedBeforeGetsWhatIsLeftOfItsTime() {
    Duration timeout = Duration.ofSeconds(5);
    long begun = clock.monotonicNanos();
    clock.advance(Duration.ofSeconds(4));
    last = null;

    ObjectCallTimeoutException cut = late(timeout, begun);
    assertThat(cut.timeout()).isEqualTo(timeout);
    assertThat(cut.delivered()).isTrue();
    long waited = clock.monotonicNanos() - begun;
    assertThat(Duration.ofNanos(waited)).isBetween(timeout, timeout.plusMillis(200));
    assertThat(asked).hasSize(1);

    ObjectCallTimeoutException unsent = late(timeout, begun);
    assertThat(unsent.timeout()).isEqualTo(timeout);
    assertThat(unsent.delivered()).isFalse();
    assertThat(asked).hasSize(1);
  }

  private ObjectCallTimeoutException late(Duration timeout, long begunNanos) {
    try {
      ended(router -> router.call(CALL, timeout, begunNanos), null);
    } catch (ObjectCallTimeoutException e) {
      return e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("no failure");
  }

  @Test
  void longestTimeoutIsNoError() throws Throwable {
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE);

    assertThat(
            this.<Answer>ended(router -> router.call(CALL, longest, clock.monotonicNanos()), null))
        .isEqualTo(new Answer.Result(VALUE));
  }

  @Test
  void callThatTheOwnerWithdrawsWhenItsTimeIsOverHasNotBegun() {
    outcomes.add(new Withdrawn());

    assertThat(failure(ObjectCallTimeoutException.class, Duration.ofMillis(100)).delivered())
        .isFalse();
  }

  @Test
  void interruptEndsTheWaitAndStaysSet() {
    last = null;
    try {
      ended(
          router -> {
            Thread.currentThread().interrupt();
            try {
              return router.call(CALL, null, clock.monotonicNanos());
            } catch (CallInterruptedException e) {
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
              throw e;
            }
          },
          null);
      throw new AssertionError("no failure");
    } catch (Throwable e) {
      assertThat(e)
          .isInstanceOf(CallInterruptedException.class)
          .hasMessageContaining("the call goes on");
    }
  }

  @Test
  void interruptInAPauseWithdrawsTheCall() {
    last = new NotSent(GONE);
    try {
      ended(
          router -> {
            Thread.currentThread().interrupt();
            return router.call(CALL, null, clock.monotonicNanos());
          },
          null);
      throw new AssertionError("no failure");
    } catch (Throwable e) {
      assertThat(e)
          .isInstanceOf(CallInterruptedException.class)
          .hasMessageContaining("withdrawn before it was delivered");
    }
  }
}
