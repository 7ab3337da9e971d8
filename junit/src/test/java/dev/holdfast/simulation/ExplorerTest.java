package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.simulation.Explorer.Explored;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An application with a fault, and the same without. */
class ExplorerTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int COINS = 100;

  /** Two purses give to each other at once. */
  private static class Transfers implements Scenario {

    private final BiFunction<ObjectContext, Supplier<ObjectNamespace<Purse>>, Purse> factory;
    private final List<String> acknowledged = new ArrayList<>();
    private ObjectNamespace<Purse> purses;

    Transfers(BiFunction<ObjectContext, Supplier<ObjectNamespace<Purse>>, Purse> factory) {
      this.factory = factory;
    }

    @Override
    public void register(ObjectRegistrar objects) {
      objects.namespace("purses", Purse.class, context -> factory.apply(context, () -> purses));
    }

    @Override
    public void run(Run run) throws Exception {
      purses = run.namespace("purses", Purse.class);
      purses.getByName("ann").fill(COINS);
      acknowledged.add("filled");
      run.together(() -> give("ann", "bob", 60), () -> give("ann", "cleo", 30));
    }

    private void give(String from, String to, int coins) {
      if (purses.getByName(from).give(to, to, coins)) {
        acknowledged.add(to);
      }
    }

    @Override
    public void check(Run run) {
      purses = run.namespace("purses", Purse.class);
      purses.getByName("ann").settle();
      int ann = purses.getByName("ann").coins();
      int bob = purses.getByName("bob").coins();
      int cleo = purses.getByName("cleo").coins();
      if (acknowledged.contains("filled")) {
        assertThat(ann + bob + cleo).as("all coins").isEqualTo(COINS);
      }
      if (acknowledged.contains("bob")) {
        assertThat(bob).as("acknowledged").isEqualTo(60);
      }
    }
  }

  @Test
  void rightApplicationPasses() {
    int orders = IS_LONG ? 1_200 : 40;
    Explored explored =
        Explorer.inMemory().explore(1, orders, () -> new Transfers(Purse.Careful::new));
    assertThat(explored.orders()).isEqualTo(orders);
    assertThat(explored.runs()).isGreaterThanOrEqualTo(IS_LONG ? 10_000 : 201);
  }

  @Test
  void rightApplicationPassesWithTheRulesOfShards() {
    Explored explored =
        Explorer.inMemory()
            .explore(
                1,
                IS_LONG ? 400 : 20,
                () ->
                    new Transfers(Purse.Careful::new) {
                      @Override
                      public void register(ObjectRegistrar objects) {
                        super.register(objects);
                        objects.options(RuntimeOptions.DEFAULT.withShardRules(true));
                      }
                    });
    assertThat(explored.runs()).isGreaterThan(100);
  }

  @Test
  void lostUpdateIsFoundAndReplayed() {
    Supplier<Scenario> scenario = () -> new Transfers(Purse.Forgetful::new);
    ExplorationFailure found =
        catchThrowableOfType(
            ExplorationFailure.class, () -> Explorer.inMemory().explore(1, 1_000, scenario));
    assertThat(found).hasMessageContaining("all coins").hasMessageContaining("replay(");
    assertThatThrownBy(() -> Explorer.inMemory().replay(found.seed(), found.step(), scenario))
        .isInstanceOf(ExplorationFailure.class)
        .hasMessage(found.getMessage());
  }

  @Test
  void lostUpdateAroundAPlainCallIsFound() {
    ExplorationFailure found =
        catchThrowableOfType(
            ExplorationFailure.class,
            () -> Explorer.inMemory().explore(1, 1_000, () -> new Transfers(Purse.Blocking::new)));
    assertThat(found.step()).as("no crash").isZero();
    assertThat(found).hasMessageContaining("all coins");
  }

  @Test
  void lossInACrashIsFoundAndReplayed() {
    Supplier<Scenario> scenario = () -> new Transfers(Purse.Hasty::new);
    ExplorationFailure found =
        catchThrowableOfType(
            ExplorationFailure.class, () -> Explorer.inMemory().explore(1, 1_000, scenario));
    assertThat(found.step()).as("a crash").isPositive();
    assertThat(found).hasMessageContaining("all coins").hasMessageContaining("1. append");
    assertThatThrownBy(() -> Explorer.inMemory().replay(found.seed(), found.step(), scenario))
        .hasMessage(found.getMessage());
  }
}
