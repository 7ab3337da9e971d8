package dev.holdfast.runtime.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import dev.holdfast.health.HealthReason;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Emitted events reach their consumers at least once, in the order of the journal. */
final class ConsumerTest {

  private static final ConsumerOptions ONE = ConsumerOptions.DEFAULT.withBatchEventsMax(1);

  private final BlockingQueue<String> got = new LinkedBlockingQueue<>();
  private Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  /** Ends the process without a close; what was durable is there again. */
  private void crash() {
    InMemoryJournal left = host.journal.crash();
    host.close();
    host = Host.with().journal(left).open();
  }

  private void emit(String object, String... events) throws Exception {
    host.call(
        object,
        (_, context) -> {
          for (String event : events) {
            context.emit("orders", event);
          }
          return null;
        });
  }

  private Subscription consume(String name) {
    return consume(name, ConsumerOptions.DEFAULT);
  }

  private Subscription consume(String name, ConsumerOptions options) {
    return host.runtime.consume("orders", name, String.class, options, this::take);
  }

  private void take(List<Event<String>> events) {
    events.forEach(event -> got.add(event.value()));
  }

  private List<String> next(int count) throws InterruptedException {
    List<String> taken = new ArrayList<>();
    while (taken.size() < count) {
      taken.add(got.take());
    }
    return taken;
  }

  // ---- The turn -----------------------------------------------------------------------------

  @Test
  void eventOfATurnIsDelivered() throws Exception {
    consume("index");
    host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", 1L);
          context.emit("orders", "with a write");
          return null;
        });
    emit("a", "without a write");
    assertThat(next(2)).containsExactly("with a write", "without a write");
  }

  @Test
  void eventSaysWhereItComesFrom() throws Exception {
    BlockingQueue<Event<String>> events = new LinkedBlockingQueue<>();
    host.runtime.consume("orders", "index", String.class, events::addAll);
    emit("a", "first", "second");
    Event<String> first = events.take();
    Event<String> second = events.take();
    assertThat(first.topic()).isEqualTo("orders");
    assertThat(first.namespace()).isEqualTo(Host.THINGS);
    assertThat(first.object()).isEqualTo(host.id("a").toString());
    assertThat(first.time().toEpochMilli()).isEqualTo(host.clock.wallMillis());
    assertThat(second.position()).isEqualTo(first.position());
    assertThat(List.of(first.index(), second.index())).containsExactly(0, 1);
  }

  @Test
  void eventWaitsUntilItIsDurableAndHoldsTheReply() throws Exception {
    host.close();
    host = Host.open(Durability.MANUAL);
    Thread maker = Thread.ofVirtual().start(this::makeDurableOnce);
    consume("index");
    maker.join();
    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.storage().put("key", 1L, WriteOptions.DEFAULT.unconfirmed());
              context.emit("orders", "event");
              return null;
            });
    host.journal.awaitWaiters(2); // the reply, and the consumer
    assertThat(call.isDone()).isFalse();
    assertThat(got).isEmpty();
    host.journal.makeAllDurable();
    call.get();
    assertThat(next(1)).containsExactly("event");
    host.journal.awaitAppended(host.journal.lastPosition());
    host.journal.makeAllDurable();
  }

  private void makeDurableOnce() {
    try {
      host.journal.awaitWaiters(1);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    host.journal.makeAllDurable();
  }

  @Test
  void lostTurnEmitsNothing() throws Exception {
    consume("index");
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.emit("orders", "lost");
                      throw context.abort("on purpose");
                    }))
        .isInstanceOf(InstanceResetException.class);
    emit("a", "kept");
    assertThat(next(1)).containsExactly("kept");
  }

  @Test
  void turnThatThrowsEmitsWhatItWrote() throws Exception {
    consume("index");
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.emit("orders", "kept");
                      throw new IllegalStateException("on purpose");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(next(1)).containsExactly("kept");
  }

  @Test
  void rolledBackTransactionEmitsNothing() throws Exception {
    consume("index");
    host.call(
        "a",
        (_, context) -> {
          context.emit("orders", "before");
          assertThatThrownBy(() -> context.storage().transactionSync(() -> fail(context)))
              .isInstanceOf(IllegalStateException.class);
          context
              .storage()
              .transactionSync(
                  () -> {
                    context.emit("orders", "committed");
                    return null;
                  });
          return null;
        });
    host.call(
        "a",
        (_, context) -> {
          context.emit("orders", "before the transaction");
          context
              .storage()
              .transaction(
                  transaction -> {
                    context.emit("orders", "rolled back");
                    transaction.rollback();
                    return null;
                  });
          context.emit("orders", "after the transaction");
          return null;
        });
    assertThat(next(4))
        .containsExactly("before", "committed", "before the transaction", "after the transaction");
  }

  private static Object fail(ObjectContext context) {
    context.storage().put("key", 1L);
    context.emit("orders", "rolled back");
    throw new IllegalStateException("on purpose");
  }

  @Test
  void deletionTakesNoEventBack() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", 1L);
          context.emit("orders", "kept");
          return null;
        });
    host.runtime.admin().delete(Host.THINGS, host.id("a"));
    consume("index");
    assertThat(next(1)).containsExactly("kept");
  }

  @Test
  void limitsAreRefusedAndTheTurnGoesOn() throws Exception {
    consume("index");
    String large = "x".repeat(128 << 10);
    host.call(
        "a",
        (_, context) -> {
          assertThatThrownBy(() -> context.emit("orders", large))
              .isInstanceOf(StorageLimitException.class)
              .hasMessageContaining("131072");
          assertThatThrownBy(() -> context.emit("", "event"))
              .isInstanceOf(StorageLimitException.class);
          assertThatThrownBy(() -> context.emit("ü".repeat(128), "event"))
              .isInstanceOf(StorageLimitException.class)
              .hasMessageContaining("256");
          assertThatThrownBy(() -> context.emit("orders", new Object()))
              .isInstanceOf(UncopyableValueException.class);
          String most = "y".repeat(130_000);
          for (int count = 0; count < 32; count++) {
            context.emit("others", most);
          }
          assertThatThrownBy(() -> context.emit("others", most))
              .isInstanceOf(StorageLimitException.class)
              .hasMessageContaining("several turns");
          context.emit("orders", "small");
          return null;
        });
    assertThat(next(1)).containsExactly("small");
    assertThatThrownBy(() -> host.runtime.subscribe("", String.class, _ -> {}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> consume("n".repeat(256))).isInstanceOf(IllegalArgumentException.class);
  }

  // ---- Places -------------------------------------------------------------------------------

  @Test
  void newConsumerBeginsWhereItSays() throws Exception {
    emit("a", "early");
    consume("now", ConsumerOptions.DEFAULT.withStart(ConsumerStart.NOW));
    emit("a", "late");
    assertThat(next(1)).containsExactly("late");
    consume("oldest");
    assertThat(next(2)).containsExactly("early", "late");
  }

  @Test
  void consumerContinuesAfterItsSubscriptionWasClosed() throws Exception {
    Subscription first = consume("index");
    emit("a", "first");
    assertThat(next(1)).containsExactly("first");
    first.close();
    first.close();
    emit("a", "second");
    consume("index", ConsumerOptions.DEFAULT.withStart(ConsumerStart.NOW));
    assertThat(next(1)).containsExactly("second");
  }

  @Test
  void consumerContinuesInTheMiddleOfATurnAfterACrash() throws Exception {
    emit("a", "1", "2", "3", "4");
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    host.runtime.consume(
        "orders",
        "index",
        String.class,
        ONE,
        events -> {
          take(events);
          if (got.size() == 3) {
            stop.countDown();
            never.await();
          }
        });
    stop.await();
    host.journal.makeAllDurable();
    InMemoryJournal left = host.journal.crash();
    never.countDown();
    host.close();
    host = Host.with().journal(left).open();
    got.clear();
    consume("index");
    assertThat(next(2)).containsExactly("3", "4");
  }

  /** Whatever a crash leaves of the places: nothing is lost, and only the newest are repeated. */
  @Test
  void everyCrashRepeatsAndLosesNothing() throws Exception {
    List<Event<String>> all = new ArrayList<>();
    BlockingQueue<Event<String>> events = new LinkedBlockingQueue<>();
    EventHandler<String> collect = events::addAll;
    host.runtime.consume("orders", "index", String.class, ONE, collect);
    for (int turn = 0; turn < 12; turn++) {
      emit(turn % 2 == 0 ? "a" : "b", turn + ".1", turn + ".2");
      all.add(events.take());
      all.add(events.take());
    }
    InMemoryJournal journal = host.journal;
    for (long position = 1; position <= journal.lastPosition(); position++) {
      long cut = position;
      List<String> expected =
          all.stream().filter(event -> event.position() <= cut).map(Event::value).toList();
      try (Host again = Host.with().journal(journal.prefix(position)).open()) {
        boolean isKnown = !again.runtime.admin().consumers().isEmpty();
        BlockingQueue<Event<String>> repeated = new LinkedBlockingQueue<>();
        again.runtime.consume("orders", "index", String.class, ONE, repeated::addAll);
        again.call(
            "end",
            (_, context) -> {
              context.emit("orders", "end");
              return null;
            });
        List<String> seen = new ArrayList<>();
        String value = repeated.take().value();
        while (!value.equals("end")) {
          seen.add(value);
          value = repeated.take().value();
        }
        assertThat(expected).as("crash at " + position).endsWith(seen.toArray(String[]::new));
        if (isKnown) {
          // The place of a handled event follows it by a few records at most.
          assertThat(seen).as("crash at " + position).hasSizeLessThanOrEqualTo(6);
        }
      }
    }
  }

  @Test
  void twoConsumersOfATopicDoNotKnowOfEachOther() throws Exception {
    BlockingQueue<String> second = new LinkedBlockingQueue<>();
    consume("first");
    host.runtime.consume(
        "orders", "second", String.class, events -> events.forEach(e -> second.add(e.value())));
    emit("a", "event");
    assertThat(next(1)).containsExactly("event");
    assertThat(second.take()).isEqualTo("event");
    assertThatThrownBy(() -> consume("first"))
        .isInstanceOfSatisfying(
            ConsumerException.class,
            e -> assertThat(e.reason()).isEqualTo(ConsumerException.Reason.RUNNING));
  }

  @Test
  void removedConsumerIsForgottenAlsoAfterACrash() throws Exception {
    Subscription running = consume("index");
    assertThatThrownBy(() -> host.runtime.admin().removeConsumer("orders", "index"))
        .isInstanceOf(ConsumerException.class);
    running.close();
    assertThat(host.runtime.admin().removeConsumer("orders", "index")).isTrue();
    assertThat(host.runtime.admin().removeConsumer("orders", "index")).isFalse();
    crash();
    assertThat(host.runtime.admin().consumers()).isEmpty();
    assertThat(host.consumers.lowWaterMark()).isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(
            () -> host.runtime.admin().resetConsumer("orders", "index", ConsumerStart.NOW))
        .isInstanceOf(ConsumerException.class);
  }

  @Test
  void resetMovesAConsumerThatRuns() throws Exception {
    consume("index");
    emit("a", "1", "2");
    assertThat(next(2)).containsExactly("1", "2");
    host.runtime.admin().resetConsumer("orders", "index", ConsumerStart.OLDEST);
    assertThat(next(2)).containsExactly("1", "2");
    crash();
    consume("index");
    emit("a", "3");
    List<String> seen = next(1);
    while (!seen.getLast().equals("3")) {
      seen.addAll(next(1));
    }
    assertThat(List.of("1", "2", "3")).endsWith(seen.toArray(String[]::new));
  }

  @Test
  void resetToNowSkipsWhatAConsumerHasRead() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    emit("a", "1", "2", "3");
    host.runtime.consume(
        "orders",
        "index",
        String.class,
        ONE,
        events -> {
          take(events);
          begun.countDown();
          release.await();
        });
    begun.await();
    host.runtime.admin().resetConsumer("orders", "index", ConsumerStart.NOW);
    release.countDown();
    emit("a", "4");
    assertThat(next(2)).containsExactly("1", "4");
  }

  // ---- Failures -----------------------------------------------------------------------------

  @Test
  void resetEndsThePauseAfterAFailure() throws Exception {
    host.runtime.consume(
        "orders",
        "index",
        String.class,
        ONE.withRetry(Duration.ofHours(1), Duration.ofHours(1)),
        events -> {
          if (events.getFirst().value().equals("bad")) {
            throw new IllegalStateException("on purpose");
          }
          take(events);
        });
    int timers = host.clock.pendingTimers();
    emit("a", "bad");
    host.clock.awaitPendingTimers(timers + 1);

    host.runtime.admin().resetConsumer("orders", "index", ConsumerStart.NOW);
    emit("a", "good");

    assertThat(next(1)).containsExactly("good");
  }

  @Test
  void failedDeliveryIsRepeatedWithPausesThatGrow() throws Exception {
    List<Long> times = new CopyOnWriteArrayList<>();
    host.runtime.consume(
        "orders",
        "index",
        String.class,
        ConsumerOptions.DEFAULT.withRetry(Duration.ofSeconds(1), Duration.ofSeconds(4)),
        events -> {
          times.add(host.clock.monotonicNanos());
          if (times.size() <= 4) {
            throw new IllegalStateException("on purpose");
          }
          take(events);
        });
    int timers = host.clock.pendingTimers();
    emit("a", "1");
    host.clock.awaitPendingTimers(timers + 1);
    emit("a", "2");
    while (got.isEmpty()) {
      host.clock.advanceToNextTimer();
    }
    assertThat(next(2)).containsExactly("1", "2");
    List<Long> pauses = new ArrayList<>();
    for (int attempt = 1; attempt < 5; attempt++) {
      long nanos = times.get(attempt) - times.get(attempt - 1);
      pauses.add(Duration.ofNanos(nanos).toSeconds());
    }
    assertThat(pauses).containsExactly(1L, 2L, 4L, 4L);
    assertThat(host.log.of(LogEvent.CONSUMER_FAILED)).hasSize(4);
    assertThat(status("index").failedDeliveries()).isEqualTo(4);
  }

  /** The engine has no memory to log it. */
  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new OutOfMemoryError("planned");
    }
  }

  @Test
  void deliveryGoesOnIfItsFailureCannotBeLogged() throws Exception {
    List<Event<String>> failed = new CopyOnWriteArrayList<>();
    host.runtime.consume(
        "orders",
        "index",
        String.class,
        events -> {
          if (failed.isEmpty()) {
            failed.addAll(events);
            throw new Unprintable();
          }
          take(events);
        });
    emit("a", "1");
    assertThat(next(1)).containsExactly("1");
  }

  @Test
  void failureOfAnotherRuntimesJournalIsOneOfTheHandler() throws Exception {
    host.runtime.consume(
        "orders",
        "index",
        String.class,
        events -> {
          if (status("index").failedDeliveries() == 0) {
            throw new JournalFailedException("The journal of another runtime has failed.", null);
          }
          take(events);
        });
    emit("a", "1");
    while (status("index").failedDeliveries() == 0 && status("index").isRunning()) {
      Thread.yield();
    }
    assertThat(status("index").isRunning()).isTrue();
    while (got.isEmpty()) {
      host.clock.advanceToNextTimer();
    }
    assertThat(host.log.of(LogEvent.CONSUMER_FAILED)).hasSize(1);
  }

  @Test
  void eventThatCannotBeReadAsTheTypeHoldsUpTheLaterOnes() throws Exception {
    int timers = host.clock.pendingTimers();
    emit("a", "text");
    BlockingQueue<Long> numbers = new LinkedBlockingQueue<>();
    Subscription wrong =
        host.runtime.consume(
            "orders", "index", Long.class, events -> events.forEach(e -> numbers.add(e.value())));
    host.clock.awaitPendingTimers(timers + 1);
    assertThat(host.log.of(LogEvent.CONSUMER_FAILED)).hasSize(1);
    wrong.close();
    assertThat(numbers).isEmpty();
    consume("index");
    assertThat(next(1)).containsExactly("text");
  }

  @Test
  void handlerMayCallObjectsWhichEmit() throws Exception {
    host.runtime.consume(
        "orders",
        "echo",
        String.class,
        events -> {
          for (Event<String> event : events) {
            if (event.value().length() < 4) {
              emit("echo", event.value() + "!");
            }
          }
          take(events);
        });
    emit("a", "1");
    assertThat(next(4)).containsExactly("1", "1!", "1!!", "1!!!");
  }

  @Test
  void objectCannotConsume() throws Exception {
    host.call(
        "a",
        (_, _) -> {
          assertThatThrownBy(() -> consume("index")).isInstanceOf(MisuseException.class);
          return null;
        });
    host.close();
    assertThatThrownBy(() -> consume("index")).isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void handlerMayCloseItsOwnSubscription() throws Exception {
    BlockingQueue<Subscription> own = new LinkedBlockingQueue<>();
    BlockingQueue<String> closed = new LinkedBlockingQueue<>();
    own.add(
        host.runtime.consume(
            "orders",
            "index",
            String.class,
            ONE,
            events -> {
              own.take().close();
              closed.add(events.getFirst().value());
            }));
    emit("a", "1", "2");
    assertThat(closed.take()).isEqualTo("1");
    host.close();
    assertThat(closed).isEmpty();
  }

  // ---- What is kept -------------------------------------------------------------------------

  @Test
  void journalKeepsWhatAConsumerNeeds() throws Exception {
    Subscription running = consume("index");
    emit("a", "1");
    assertThat(next(1)).containsExactly("1");
    running.close();
    long handled = host.runtime.admin().consumers().getFirst().position();
    emit("a", "2", "3");
    host.journal.makeAllDurable();
    // A crash would go back to the last place that is in the journal.
    assertThat(host.consumers.historyFloor()).isBetween(1L, handled);
    assertThat(host.consumers.lowWaterMark()).isLessThan(host.journal.lastPosition());
    host.consumers.checkpointBefore(host.journal.lastPosition() + 1);
    host.journal.makeAllDurable();
    assertThat(host.consumers.lowWaterMark()).isEqualTo(host.journal.lastPosition());
    assertThat(host.consumers.historyFloor()).isEqualTo(handled);
    assertThat(status("index").lagRecords()).isEqualTo(host.journal.lastPosition() + 1 - handled);
  }

  @Test
  void consumerOfAQuietTopicIsNotHeldBack() throws Exception {
    host.runtime.consume("quiet", "index", String.class, this::take);
    for (int turn = 0; turn < 50; turn++) {
      emit("a", "noise");
    }
    host.consumers.checkpointBefore(host.journal.lastPosition() + 1);
    awaitIdle("quiet", host.journal.lastPosition());
    host.consumers.checkpointBefore(host.journal.lastPosition() + 1);
    host.journal.makeAllDurable();
    assertThat(host.consumers.historyFloor()).isGreaterThan(50);
    assertThat(got).isEmpty();
  }

  private void awaitIdle(String topic, long position) {
    boolean isIdle = false;
    while (!isIdle) {
      isIdle =
          host.runtime.admin().consumers().stream()
              .anyMatch(each -> each.topic().equals(topic) && each.position() >= position);
      Thread.yield();
    }
  }

  @Test
  void consumerThatIsTooFarBehindIsCutOffAndSaysSo() throws Exception {
    host.close();
    host = Host.with().options(RuntimeOptions.DEFAULT.withOutboxBytesMax(1_000)).open();
    consume("index").close();
    emit("a", "x".repeat(2_000));
    emit("a", "kept");
    assertThat(host.consumers.historyFloor()).isEqualTo(Long.MAX_VALUE);
    host.journal.trimBefore(host.journal.lastPosition());
    assertThat(status("index").isCutOff()).isTrue();
    assertThat(host.runtime.health().reasons())
        .extracting(HealthReason::code)
        .contains(HealthReason.CONSUMER_CUT_OFF);
    assertThat(host.log.of(LogEvent.CONSUMER_CUT_OFF)).hasSize(1);
    assertThatThrownBy(() -> consume("index"))
        .isInstanceOfSatisfying(
            ConsumerException.class,
            e -> assertThat(e.reason()).isEqualTo(ConsumerException.Reason.CUT_OFF))
        .hasMessageContaining("resetConsumer");
    assertThat(got).isEmpty();
    host.runtime.admin().resetConsumer("orders", "index", ConsumerStart.OLDEST);
    assertThat(host.runtime.health().reasons()).isEmpty();
    consume("index");
    emit("a", "next");
    assertThat(next(1).getFirst()).isNotEmpty();
  }

  @Test
  void consumerThatIsCutOffWhileItRunsGetsTheReasonAndStops() throws Exception {
    host.close();
    host = Host.with().options(RuntimeOptions.DEFAULT.withOutboxBytesMax(1_000)).open();
    BlockingQueue<String> reasons = new LinkedBlockingQueue<>();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    host.runtime.consume(
        "orders",
        "index",
        String.class,
        new EventHandler<>() {
          @Override
          public void handle(List<Event<String>> events) throws Exception {
            take(events);
            begun.countDown();
            release.await();
          }

          @Override
          public void cutOff(String reason) {
            reasons.add(reason);
          }
        });
    emit("a", "1");
    begun.await();
    for (int turn = 0; turn < 5; turn++) {
      emit("a", "lost " + "x".repeat(1_000));
    }
    host.journal.makeAllDurable();
    host.journal.trimBefore(host.journal.lastPosition() + 1);
    release.countDown();
    assertThat(reasons.take()).contains("resetConsumer");
    assertThat(next(1)).containsExactly("1");
    assertThat(got).isEmpty();
  }

  @Test
  void statisticsHaveTheConsumers() throws Exception {
    assertThat(host.runtime.statistics().consumers()).isEmpty();
    consume("index");
    emit("a", "1", "2");
    next(2);
    ConsumerStatus status = host.runtime.statistics().consumers().getFirst();
    while (status.handledEvents() < 2 || status.lagRecords() > 0) {
      Thread.yield();
      status = host.runtime.statistics().consumers().getFirst();
    }
    assertThat(status.isRunning()).isTrue();
    assertThat(status.isCutOff()).isFalse();
    assertThat(status.topic() + "/" + status.name()).isEqualTo("orders/index");
  }

  private ConsumerStatus status(String name) {
    return host.runtime.admin().consumers().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
