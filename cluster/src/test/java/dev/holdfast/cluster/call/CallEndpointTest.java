package dev.holdfast.cluster.call;

import static dev.holdfast.cluster.call.TwoNodes.A;
import static dev.holdfast.cluster.call.TwoNodes.B;
import static dev.holdfast.cluster.call.TwoNodes.bytes;
import static dev.holdfast.cluster.call.TwoNodes.call;
import static dev.holdfast.cluster.call.TwoNodes.next;
import static dev.holdfast.cluster.call.TwoNodes.outcome;
import static dev.holdfast.cluster.call.TwoNodes.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallOutcome.Failed;
import dev.holdfast.cluster.call.CallOutcome.NotSent;
import dev.holdfast.cluster.call.CallOutcome.Redirected;
import dev.holdfast.cluster.call.CallOutcome.RefusedCall;
import dev.holdfast.cluster.call.CallOutcome.Replied;
import dev.holdfast.cluster.call.CallOutcome.Unknown;
import dev.holdfast.cluster.call.CallOutcome.Withdrawn;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Header;
import dev.holdfast.cluster.frame.Frame.Thrown;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.runtime.RemoteCaller;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes in one process, over TLS, with a proxy between them. */
final class CallEndpointTest {

  private static final boolean LONG_RUN = "long".equals(System.getProperty("holdfast.tests"));

  @TempDir private Path directory;
  private TwoNodes nodes;
  private final BlockingQueue<IncomingCall> arrived = new LinkedBlockingQueue<>();

  @BeforeEach
  void prepare() throws IOException {
    nodes = new TwoNodes(directory);
  }

  @AfterEach
  void close() throws IOException {
    nodes.close();
  }

  @Test
  void callArrivesWithAllThatTravelsAndIsAnswered() throws Exception {
    nodes.handler = arrived::add;
    nodes.open();
    List<Header> headers = List.of(new Header("x-tenant", "t", true));
    List<RemoteCaller> chain = List.of(new RemoteCaller(A, 7, "orders", TwoNodes.ID, true));
    List<Value> arguments = List.of(value("nut"), new Value.Null());
    PendingCall pending =
        nodes
            .a()
            .send(
                B,
                new CallUnderWay("carts", TwoNodes.ID, "add(int)", headers, chain, arguments),
                5_000_000_000L);

    IncomingCall call = next(arrived);

    assertThat(call.caller()).isEqualTo(A);
    assertThat(call.namespace()).isEqualTo("carts");
    assertThat(call.id()).isEqualTo(TwoNodes.ID);
    assertThat(call.id().name()).contains("one");
    assertThat(call.method()).isEqualTo("add(int)");
    assertThat(call.headers()).isEqualTo(headers);
    assertThat(call.chain()).isEqualTo(chain);
    assertThat(call.arguments()).isEqualTo(arguments);
    assertThat(call.deadlineNanos().getAsLong() - nodes.time.monotonicNanos())
        .isBetween(-60_000_000_000L, 5_000_000_000L);
    assertThat(pending.outcome()).isNotDone();
    call.reply(value(5));
    assertThat(outcome(pending)).isEqualTo(new Replied(value(5)));
    assertThatThrownBy(() -> call.reply(value(6))).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void eachAnswerIsAnOutcomeOfItsOwn() throws Exception {
    Thrown thrown = new Thrown("x.Y", null, "at", List.of("d"), null);
    Map<String, Consumer<IncomingCall>> answers =
        Map.of(
            "fail", call -> call.fail(thrown),
            "redirect", call -> call.redirect(3, new ShardOwnership(new NodeId("c"), 9)),
            "unknown", call -> call.redirect(3, null),
            "refuse", call -> call.refuse(RefusalReason.DRAINING, "Later."));
    nodes.handler = call -> answers.get(call.method()).accept(call);
    nodes.open();

    assertThat(answered("fail")).isEqualTo(new Failed(thrown));
    assertThat(answered("redirect"))
        .isEqualTo(new Redirected(3, Optional.of(new ShardOwnership(new NodeId("c"), 9))));
    assertThat(answered("unknown")).isEqualTo(new Redirected(3, Optional.empty()));
    assertThat(answered("refuse")).isEqualTo(new RefusedCall(RefusalReason.DRAINING, "Later."));
  }

  private CallOutcome answered(String method) throws Exception {
    return outcome(
        nodes
            .a()
            .send(
                B,
                new CallUnderWay("carts", TwoNodes.ID, method, List.of(), List.of(), List.of()),
                0));
  }

  @Test
  void sixtyFourCallersShareOneConnectionAndGetTheirOwnReplies() throws Exception {
    nodes.open();
    int calls = LONG_RUN ? 2_000 : 50;
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int caller = 0; caller < 64; caller++) {
        int own = caller;
        all.add(
            callers.submit(
                () -> {
                  for (int i = 0; i < calls; i++) {
                    Value sent = value(own + "/" + i);
                    assertThat(outcome(nodes.send(sent))).isEqualTo(new Replied(sent));
                  }
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    assertThat(nodes.proxy().connections()).isEqualTo(1);
  }

  @Test
  void callsOfOneCallerArriveInTheirOrder() throws Exception {
    nodes.handler = arrived::add;
    nodes.open();
    for (int i = 0; i < 500; i++) {
      nodes.send(value(i));
    }
    for (int i = 0; i < 500; i++) {
      assertThat(next(arrived).arguments()).containsExactly(value(i));
    }
  }

  @Test
  void longArgumentsAndResultsTravel() throws Exception {
    nodes.open();
    Value longest = bytes(1 << 20);

    assertThat(outcome(nodes.send(longest))).isEqualTo(new Replied(longest));
    assertThatThrownBy(() -> nodes.send(bytes(Frame.LENGTH_MAX)))
        .isInstanceOf(UncopyableValueException.class)
        .hasMessageContaining("more than 67108864 bytes")
        .hasMessageContaining("Pass less at once.");
    assertThat(outcome(nodes.send(value(1)))).isEqualTo(new Replied(value(1)));
  }

  @Test
  void resultThatIsTooLongIsAFailureOfTheCall() throws Exception {
    nodes.handler = call -> call.reply(bytes(Frame.LENGTH_MAX));
    nodes.open();

    assertThat(outcome(nodes.send(value(1))))
        .isInstanceOfSatisfying(
            Failed.class,
            failed -> {
              assertThat(failed.thrown().className())
                  .isEqualTo(UncopyableValueException.class.getName());
              assertThat(failed.thrown().message()).contains("its effects remain");
            });
  }

  @Test
  void windowHoldsCallsBackUntilOthersAreAnswered() throws Exception {
    nodes.handler = arrived::add;
    nodes.open();
    List<PendingCall> sent = new ArrayList<>();
    for (int i = 0; i < Window.CALLS_MAX + 10; i++) {
      sent.add(nodes.send(value(i)));
    }
    List<IncomingCall> taken = new ArrayList<>();
    for (int i = 0; i < Window.CALLS_MAX; i++) {
      taken.add(next(arrived));
    }
    // Cancelled before it was sent: it never arrives.
    sent.getLast().cancel();
    assertThat(outcome(sent.getLast())).isEqualTo(new Withdrawn());

    taken.get(5).reply(value("five"));
    assertThat(outcome(sent.get(5))).isEqualTo(new Replied(value("five")));
    assertThat(next(arrived).arguments()).containsExactly(value(Window.CALLS_MAX));
    for (IncomingCall each : taken.subList(6, 14)) {
      each.reply(value("more"));
    }
    for (int i = 1; i < 9; i++) {
      assertThat(next(arrived).arguments()).containsExactly(value(Window.CALLS_MAX + i));
    }
    taken.get(14).reply(value("last"));
    assertThat(outcome(sent.get(14))).isEqualTo(new Replied(value("last")));
    assertThat(arrived).isEmpty();
  }

  @Test
  void windowBoundsTheBytesOfCalls() throws Exception {
    nodes.handler = arrived::add;
    // Without the time that it takes to encrypt as much.
    nodes.optionsA = TwoNodes.options("shop", "a", null);
    nodes.optionsB = TwoNodes.options("shop", "b", null);
    nodes.open();
    PendingCall first = nodes.send(bytes(40 << 20));
    nodes.send(bytes(30 << 20));
    IncomingCall taken = next(arrived);
    // A call behind the one that has no room waits for it: the order is kept.
    PendingCall third = nodes.send(value(3));
    assertThat(outcome(nodes.a().send(new NodeId("z"), call(), 0))).isInstanceOf(NotSent.class);
    assertThat(arrived).isEmpty();

    taken.reply(value(1));

    assertThat(outcome(first)).isEqualTo(new Replied(value(1)));
    assertThat(next(arrived).arguments()).containsExactly(bytes(30 << 20));
    assertThat(next(arrived).arguments()).containsExactly(value(3));
    assertThat(third.outcome()).isNotDone();
  }

  @Test
  void cancelReachesTheOwnerWhichSaysWhetherTheCallHadBegun() throws Exception {
    nodes.handler = arrived::add;
    nodes.open();
    PendingCall pending = nodes.send(value(1));
    PendingCall begun = nodes.send(value(2));
    IncomingCall first = next(arrived);
    IncomingCall second = next(arrived);
    first.onCancel(
        () -> Thread.ofVirtual().start(() -> first.refuse(RefusalReason.WITHDRAWN, "Withdrawn.")));
    CountDownLatch cancelled = new CountDownLatch(1);
    second.onCancel(cancelled::countDown);

    pending.cancel();
    begun.cancel();
    begun.cancel();

    assertThat(outcome(pending)).isEqualTo(new Withdrawn());
    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(second.isCancelled()).isTrue();
    second.reply(value("done all the same"));
    assertThat(outcome(begun)).isEqualTo(new Replied(value("done all the same")));
    begun.cancel();
    AtomicInteger late = new AtomicInteger();
    assertThatThrownBy(() -> second.onCancel(late::incrementAndGet))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void lostConnectionLeavesSentCallsUnknownAndCancelsThemAtTheOwner() throws Exception {
    nodes.handler = arrived::add;
    nodes.open();
    PendingCall pending = nodes.send(value(1));
    IncomingCall call = next(arrived);
    CountDownLatch cancelled = new CountDownLatch(1);
    call.onCancel(cancelled::countDown);

    nodes.proxy().cutNow();

    assertThat(outcome(pending))
        .isInstanceOfSatisfying(
            Unknown.class,
            unknown -> assertThat(unknown.why().reason()).isEqualTo(Reason.CONNECTION_LOST));
    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    call.reply(value("nobody waits"));
    nodes.handler = again -> again.reply(value("new connection"));
    assertThat(outcome(nodes.send(value(2)))).isEqualTo(new Replied(value("new connection")));
    assertThat(nodes.proxy().connections()).isEqualTo(2);
  }

  /**
   * Whatever byte the connection is cut at, in the handshake, in a call or in a reply: each call is
   * executed at most once, exactly once if it was answered, and never if it was not sent.
   */
  @Test
  void cutsAtAnyByteNeverRepeatACallNorLieAboutIt() throws Exception {
    Map<Value, Integer> executed = new ConcurrentHashMap<>();
    nodes.handler =
        call -> {
          executed.merge(call.arguments().getFirst(), 1, Integer::sum);
          call.reply(call.arguments().getFirst());
        };
    nodes.open();
    Random random = new Random(23);
    int rounds = LONG_RUN ? 2_000 : 25;
    int known = 0;
    int unknown = 0;
    for (int round = 0; round < rounds; round++) {
      List<Value> arguments = new ArrayList<>();
      List<PendingCall> calls = new ArrayList<>();
      if (random.nextBoolean()) {
        nodes.proxy().cutAfterBytesToTarget(random.nextInt(3_000));
      } else {
        nodes.proxy().cutAfterBytesToCaller(random.nextInt(3_000));
      }
      for (int i = 0; i < 8; i++) {
        Value argument = value(round + "/" + i + "x".repeat(random.nextInt(100)));
        arguments.add(argument);
        calls.add(nodes.send(argument));
      }
      List<CallOutcome> outcomes = new ArrayList<>();
      for (PendingCall each : calls) {
        outcomes.add(outcome(each));
      }
      nodes.proxy().heal();
      for (int i = 0; i < arguments.size(); i++) {
        int times = executed.getOrDefault(arguments.get(i), 0);
        switch (outcomes.get(i)) {
          case Replied replied -> {
            assertThat(replied.value()).isEqualTo(arguments.get(i));
            assertThat(times).isEqualTo(1);
            known++;
          }
          case NotSent _ -> assertThat(times).isZero();
          case Unknown _ -> unknown++;
          default -> throw new AssertionError(outcomes.get(i));
        }
      }
    }
    nodes.proxy().cutNow();
    assertThat(outcome(nodes.send(value("a new connection")))).isInstanceOf(CallOutcome.class);
    assertThat(executed.values()).allMatch(times -> times == 1);
    assertThat(known).isPositive();
    assertThat(unknown).isPositive();
  }

  @Test
  void silentNetworkEndsTheConnectionOnBothSides() throws Exception {
    nodes.optionsA = TwoNodes.withSilence(nodes.optionsA, Duration.ofSeconds(2));
    nodes.optionsB = TwoNodes.withSilence(nodes.optionsB, Duration.ofSeconds(2));
    nodes.handler = arrived::add;
    nodes.open();
    PendingCall pending = nodes.send(value(1));
    IncomingCall call = next(arrived);
    CountDownLatch cancelled = new CountDownLatch(1);
    call.onCancel(cancelled::countDown);

    nodes.proxy().swallow();

    assertThat(outcome(pending))
        .isInstanceOfSatisfying(
            Unknown.class,
            unknown ->
                assertThat(unknown.why()).hasMessageContaining("Nothing was heard from node b"));
    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void idleConnectionStaysOpenBecauseBothSidesPing() throws Exception {
    Duration silence = Duration.ofMillis(2500); // a busy machine may hold a PING for a second
    nodes.optionsA = TwoNodes.withSilence(nodes.optionsA, silence);
    nodes.optionsB = TwoNodes.withSilence(nodes.optionsB, silence);
    nodes.handler = arrived::add;
    nodes.open();
    PendingCall pending = nodes.send(value(1));
    IncomingCall call = next(arrived);
    CountDownLatch later = new CountDownLatch(1);
    nodes.time.schedule(silence.toNanos() * 5 / 4, later::countDown);
    later.await();

    call.reply(value(2));

    assertThat(outcome(pending)).isEqualTo(new Replied(value(2)));
    assertThat(nodes.a().isConnectedTo(B)).isTrue();
  }

  @Test
  void clocksAreKnownWhileAConnectionIsLocked() throws Exception {
    CountDownLatch locked = new CountDownLatch(1);
    CountDownLatch known = new CountDownLatch(1);
    // PING is due before the limit of a handshake, which has a timer, too.
    long pingNanos = Handshake.LIMIT_NANOS / 2;
    nodes.optionsA =
        TwoNodes.withSilence(nodes.optionsA, Duration.ofNanos(pingNanos * Link.PINGS_IN_SILENCE));
    nodes.timeOfA =
        new TimeSource() {
          @Override
          public long wallMillis() {
            return nodes.time.wallMillis();
          }

          @Override
          public long monotonicNanos() {
            return nodes.time.monotonicNanos();
          }

          @Override
          public Timer schedule(long delayNanos, Runnable task) {
            if (delayNanos <= pingNanos) {
              locked.countDown();
              try {
                known.await(); // with the lock of the connection held
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            }
            return nodes.time.schedule(delayNanos, task);
          }
        };
    nodes.open();
    Thread meets = Thread.ofVirtual().start(() -> nodes.a().meet(B));
    locked.await();
    try (var asking = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Map<NodeId, Long>> asked = asking.submit(() -> nodes.a().clocksAheadMillis());
      try {
        assertThat(asked.get(60, TimeUnit.SECONDS)).containsOnlyKeys(B);
      } finally {
        known.countDown();
      }
    }
    meets.join();
  }

  @Test
  void clockOfANodeIsForgottenWithItsConnection() throws Exception {
    nodes.open();
    assertThat(nodes.a().clocksAheadMillis()).isEmpty();
    nodes.a().meet(B);
    assertThat(nodes.a().clocksAheadMillis()).containsOnlyKeys(B);
    nodes.a().drop(B);
    assertThat(nodes.a().clocksAheadMillis()).isEmpty();
  }

  @Test
  void closedEndpointEndsItsCalls() throws Exception {
    nodes.handler = arrived::add;
    nodes.open();
    PendingCall sent = nodes.send(value(1));
    next(arrived);

    nodes.a().close();

    assertThat(outcome(sent))
        .isInstanceOfSatisfying(
            Unknown.class, unknown -> assertThat(unknown.why().reason()).isEqualTo(Reason.CLOSED));
    assertThat(outcome(nodes.send(value(2))))
        .isInstanceOfSatisfying(
            NotSent.class, notSent -> assertThat(notSent.why().reason()).isEqualTo(Reason.CLOSED));
  }
}
