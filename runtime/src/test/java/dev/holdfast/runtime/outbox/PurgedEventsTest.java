package dev.holdfast.runtime.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** No purge of an object removes an event that a consumer has not passed. */
final class PurgedEventsTest {

  private final BlockingQueue<String> got = new LinkedBlockingQueue<>();
  private final Host host = Host.open(Durability.MANUAL);

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void eventHoldsPurgesAlsoBeforeAnIdleConsumerHasLooked() throws Exception {
    Thread maker = Thread.ofVirtual().start(this::makeDurableOnce);
    host.runtime.consume(
        "orders", "index", String.class, events -> events.forEach(each -> got.add(each.value())));
    maker.join();
    awaitIdle();

    RunningCall call =
        host.start(
            "a",
            (_, context) -> {
              context.emit("orders", "event");
              return null;
            });
    host.journal.awaitWaiters(1); // the reply; what wakes the consumer comes later
    assertThat(host.consumers.purgeFloor()).isLessThanOrEqualTo(host.journal.lastPosition());

    host.journal.makeAllDurable();
    call.get();
    assertThat(got.take()).isEqualTo("event");
    awaitIdle();
    host.journal.makeAllDurable();
  }

  /** A consumer that has read everything holds no purge. */
  private void awaitIdle() {
    while (host.consumers.purgeFloor() != Long.MAX_VALUE) {
      Thread.yield();
    }
  }

  private void makeDurableOnce() {
    try {
      host.journal.awaitWaiters(1);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    host.journal.makeAllDurable();
  }
}
