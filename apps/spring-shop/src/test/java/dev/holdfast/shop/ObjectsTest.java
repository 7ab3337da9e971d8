package dev.holdfast.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.spring.test.DurableObjectTest;
import dev.holdfast.testkit.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Carts and stock without the web server, on a clock of the test. */
@DurableObjectTest
@Import(PriceList.class)
class ObjectsTest {

  @TestConfiguration
  static class Clock {
    @Bean(destroyMethod = "")
    VirtualClock clock() {
      return new VirtualClock();
    }
  }

  @Autowired private ObjectNamespace<Cart> carts;
  @Autowired private ObjectNamespace<Stock> stocks;
  @Autowired private ObjectRuntime runtime;
  @Autowired private VirtualClock clock;

  private Cart cart;
  private Stock tea;

  @BeforeEach
  void empty() {
    for (String each : List.of("tea", "cup", "coffee")) {
      runtime.admin().delete("stock", stocks.idFromName(each));
    }
    runtime.admin().delete("carts", carts.idFromName("ann"));
    cart = carts.getByName("ann");
    tea = stocks.getByName("tea");
    tea.deliver(5);
  }

  @Test
  void linesOfOneArticleAreOne() {
    cart.add("tea", 1);
    cart.add("tea", 2);
    cart.add("coffee", 1);
    assertThat(cart.lines()).containsExactly(new Line("coffee", 1), new Line("tea", 3));
    assertThat(cart.cents()).isEqualTo(690 + 3 * 450);
  }

  @Test
  void unknownArticleIsRefused() {
    assertThatThrownBy(() -> cart.add("sugar", 1)).isInstanceOf(UnknownArticleException.class);
    assertThat(cart.lines()).isEmpty();
  }

  @Test
  void orderReservesAndEmptiesTheCart() {
    cart.add("tea", 2);
    cart.order();
    assertThat(tea.available()).isEqualTo(3);
    assertThat(cart.lines()).isEmpty();
  }

  @Test
  void orderThatCannotBeWholeReservesNothing() {
    stocks.getByName("coffee").deliver(1);
    cart.add("coffee", 1);
    cart.add("tea", 6);
    assertThatThrownBy(() -> cart.order()).isInstanceOf(OutOfStockException.class);
    assertThat(stocks.getByName("coffee").available()).isEqualTo(1);
    assertThat(tea.available()).isEqualTo(5);
    assertThat(cart.lines()).hasSize(2);
  }

  @Test
  void reservationEndsAfterAQuarterOfAnHour() {
    cart.add("tea", 2);
    cart.order();
    clock.advance(Duration.ofMinutes(16));
    assertThat(tea.available()).isEqualTo(5);
  }

  @Test
  void paidOrderIsSold() {
    cart.add("tea", 2);
    cart.pay(cart.order());
    clock.advance(Duration.ofMinutes(16));
    assertThat(tea.available()).isEqualTo(3);
  }

  @Test
  void laterReservationHasItsOwnTime() {
    assertThat(tea.reserve("first", 1)).isTrue();
    clock.advance(Duration.ofMinutes(10));
    assertThat(tea.reserve("second", 1)).isTrue();
    clock.advance(Duration.ofMinutes(6));
    assertThat(tea.available()).isEqualTo(4);
    clock.advance(Duration.ofMinutes(10));
    assertThat(tea.available()).isEqualTo(5);
  }

  @Test
  void repeatedReservationTakesNothingMore() {
    assertThat(tea.reserve("order", 2)).isTrue();
    assertThat(tea.reserve("order", 2)).isTrue();
    assertThat(tea.available()).isEqualTo(3);
  }

  @Test
  void manyCustomersNeverBuyMoreThanThereIs() throws Exception {
    List<Callable<Boolean>> orders = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String customer = "customer" + i;
      orders.add(
          () -> {
            Cart own = carts.getByName(customer);
            own.add("tea", 1);
            try {
              own.order();
              return true;
            } catch (OutOfStockException e) {
              return false;
            }
          });
    }
    int sold = 0;
    try (ExecutorService customers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Boolean> each : customers.invokeAll(orders)) {
        sold += each.get() ? 1 : 0;
      }
    }
    assertThat(sold).isEqualTo(5);
    assertThat(tea.available()).isZero();
  }
}
