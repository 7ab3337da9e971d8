package dev.holdfast.runtime.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.codec.Codec;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.runtime.Host;
import dev.holdfast.spi.LogEvent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events are values of any type, as stored values are: with arguments, and with codecs. */
class EmittedTypesTest {

  /** A class of a library: no value by itself. */
  static final class Money {
    private long cents = -1;
    private String currency = "";

    static Money of(long cents, String currency) {
      Money money = new Money();
      money.cents = cents;
      money.currency = currency;
      return money;
    }

    @Override
    public String toString() {
      return cents + " " + currency;
    }
  }

  private static final Codec<Money> MONEY =
      new Codec<>() {
        @Override
        public boolean supports(Class<?> type) {
          return type == Money.class;
        }

        @Override
        public Class<?> storedType() {
          return String.class;
        }

        @Override
        public Object encode(Money value) {
          return value.toString();
        }

        @Override
        public Money decode(Object stored, Type type) {
          String[] parts = stored.toString().split(" ", 2);
          return Money.of(Long.parseLong(parts[0]), parts[1]);
        }
      };

  private Host host = Host.with().namespace(NamespaceOptions.DEFAULT.withCodec(MONEY)).open();

  @AfterEach
  void close() {
    host.close();
  }

  private void emit(Object event) throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.emit("money", event);
          context.publish("money", event);
          return null;
        });
  }

  @Test
  void codecsOfTheNamespaceStoreAndReadItsEvents() throws Exception {
    BlockingQueue<String> consumed = new LinkedBlockingQueue<>();
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    host.runtime.consume(
        "money",
        "ledger",
        Money.class,
        events -> events.forEach(event -> consumed.add(event.value().toString())));
    host.runtime.subscribe("money", Money.class, money -> heard.add(money.toString()));

    emit(Money.of(250, "EUR"));

    assertThat(consumed.take()).isEqualTo("250 EUR");
    assertThat(heard.take()).isEqualTo("250 EUR");
  }

  @Test
  void typesOfEventsHaveArguments() throws Exception {
    BlockingQueue<Money> consumed = new LinkedBlockingQueue<>();
    BlockingQueue<Money> heard = new LinkedBlockingQueue<>();
    host.runtime.consume(
        "money",
        "ledger",
        new TypeRef<Map<String, List<Money>>>() {},
        events -> events.forEach(event -> event.value().values().forEach(consumed::addAll)));
    host.runtime.subscribe(
        "money",
        new TypeRef<Map<String, List<Money>>>() {},
        lines -> lines.values().forEach(heard::addAll));

    emit(Map.of("cart", List.of(Money.of(80, "EUR"))));

    assertThat(consumed.take()).hasToString("80 EUR");
    assertThat(heard.take()).hasToString("80 EUR");
  }

  /** What a namespace has emitted is read with its codecs by a later process. */
  @Test
  void eventsOfAnEarlierProcessAreReadWithTheCodecs() throws Exception {
    emit(Money.of(1, "EUR"));
    host.journal.makeAllDurable();
    var left = host.journal.crash();
    host.close();
    host = Host.with().namespace(NamespaceOptions.DEFAULT.withCodec(MONEY)).journal(left).open();
    BlockingQueue<String> consumed = new LinkedBlockingQueue<>();
    host.runtime.consume(
        "money",
        "ledger",
        Money.class,
        events -> events.forEach(event -> consumed.add(event.value().toString())));
    assertThat(consumed.take()).isEqualTo("1 EUR");
  }

  @Test
  void eventThatCannotBeReadHoldsUpNoneBeforeIt() throws Exception {
    emit(1L);
    emit(2L);
    emit("no number");
    emit(3L);
    int timers = host.clock.pendingTimers();
    BlockingQueue<Long> consumed = new LinkedBlockingQueue<>();
    host.runtime.consume(
        "money",
        "ledger",
        Long.class,
        events -> events.forEach(event -> consumed.add(event.value())));
    host.clock.awaitPendingTimers(timers + 1);

    assertThat(consumed).containsExactly(1L, 2L);
    assertThat(host.log.of(LogEvent.CONSUMER_FAILED)).hasSize(1);
  }

  /** Stored, it would be the topic with a question mark, which no consumer of this one gets. */
  @Test
  void topicThatCannotBeStoredIsRefused() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          assertThatThrownBy(() -> context.emit("money\uD800", 1L))
              .isInstanceOf(StorageLimitException.class)
              .hasMessageContaining("surrogate");
          return null;
        });
    assertThatThrownBy(() -> host.runtime.subscribe("money\uD800", Long.class, _ -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
