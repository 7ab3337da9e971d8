package dev.holdfast.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.simulation.ExplorationFailure;
import dev.holdfast.simulation.Explorer;
import dev.holdfast.simulation.Explorer.Explored;
import dev.holdfast.simulation.Run;
import dev.holdfast.simulation.Scenario;
import dev.holdfast.sql.SqlMigration;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * A customer orders and goes on shopping at once, with a crash at every step of the journal. The
 * cart passes; carts with a fault fail.
 */
class ShopExplorationTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int ORDERS = IS_LONG ? 1_000 : 3;
  private static final int RUNS_MIN = IS_LONG ? 10_000 : 30;

  /** A planted fault is found in fewer runs. */
  private static final int RUNS_MAX = 1_000;

  private static final int DELIVERED = 20;
  private static final Duration UNTIL_RESERVATIONS_END = Duration.ofMinutes(16);

  /** Makes a cart. */
  private interface Carts {
    Cart make(ObjectContext context, PriceList prices, ObjectNamespace<Stock> stock);
  }

  private static final class Shopping implements Scenario {

    private static final List<SqlMigration> TABLES =
        List.of(new SqlMigration("V1__lines", resource("/holdfast/carts/V1__lines.sql")));

    private final Carts factory;
    private boolean hasStock;
    private int triedToAdd;
    private int added;

    Shopping(Carts factory) {
      this.factory = factory;
    }

    @Override
    public void register(ObjectRegistrar objects) {
      PriceList prices = new PriceList();
      objects
          .namespace("stock", Stock.class, StockObject::new)
          .namespace(
              "carts",
              Cart.class,
              context -> factory.make(context, prices, context.namespace("stock", Stock.class)),
              NamespaceOptions.DEFAULT.withMigrations(TABLES));
    }

    @Override
    public void run(Run run) throws Exception {
      run.namespace("stock", Stock.class).getByName("tea").deliver(DELIVERED);
      hasStock = true;
      Cart cart = run.namespace("carts", Cart.class).getByName("ann");
      add(cart, 2);
      run.together(cart::order, () -> add(cart, 1));
    }

    private void add(Cart cart, int quantity) {
      triedToAdd += quantity;
      cart.add("tea", quantity);
      added += quantity;
    }

    /** What was added is in the cart or sold, also if the customer orders again and pays. */
    @Override
    public void check(Run run) throws Exception {
      if (!hasStock) {
        return;
      }
      ObjectNamespace<Cart> carts = run.namespace("carts", Cart.class);
      Cart cart = carts.getByName("ann");
      add(cart, 1);
      cart.order();
      for (int number = 1; number <= 3; number++) {
        cart.pay(carts.idFromName("ann") + "-" + number);
      }
      run.pass(UNTIL_RESERVATIONS_END);
      int sold = DELIVERED - run.namespace("stock", Stock.class).getByName("tea").available();
      int left = cart.lines().stream().mapToInt(Line::quantity).sum();
      assertThat(sold + left).as("sold, or in the cart").isBetween(added, triedToAdd);
    }

    private static String resource(String name) {
      try (InputStream file = Shopping.class.getResourceAsStream(name)) {
        return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void nothingIsLostBetweenCartAndStock() {
    Explored explored = Explorer.withSql().explore(1, ORDERS, () -> new Shopping(CartObject::new));
    assertThat(explored.runs()).isGreaterThanOrEqualTo(RUNS_MIN);
  }

  @Test
  void lineThatIsAddedDuringAnOrderIsMissed() {
    ExplorationFailure found = found(HastyCart::new);
    assertThat(found.step()).as("no crash").isZero();
    assertThat(found)
        .hasMessageContaining("sold, or in the cart")
        .hasMessageContaining("seed " + found.seed())
        .hasMessageContaining("1. append");
  }

  @Test
  void numberThatACrashGivesTwiceIsFound() {
    ExplorationFailure found = found(HastyCart.Forgetful::new);
    assertThat(found.step()).as("a crash").isPositive();
    assertThat(found)
        .hasMessageContaining("sold, or in the cart")
        .hasMessageContaining("seed " + found.seed() + " and a crash at step " + found.step())
        .hasMessageContaining(found.step() + ". ");
  }

  /** Also runs it again: the same steps and the same failure. */
  private static ExplorationFailure found(Carts faulty) {
    AtomicInteger runs = new AtomicInteger();
    Supplier<Scenario> scenario =
        () -> {
          runs.incrementAndGet();
          return new Shopping(faulty);
        };
    ExplorationFailure found =
        catchThrowableOfType(
            ExplorationFailure.class, () -> Explorer.withSql().explore(1, RUNS_MAX, scenario));
    assertThat(runs).hasValueLessThanOrEqualTo(RUNS_MAX);
    ExplorationFailure again =
        catchThrowableOfType(
            ExplorationFailure.class,
            () -> Explorer.withSql().replay(found.seed(), found.step(), scenario));
    assertThat(again).hasMessage(found.getMessage());
    return found;
  }
}
