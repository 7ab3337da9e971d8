package dev.holdfast.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.simulation.Explorer;
import dev.holdfast.simulation.Explorer.Explored;
import dev.holdfast.simulation.Run;
import dev.holdfast.simulation.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Transfers in many orders, with a crash at every step of the journal. */
class LedgerExplorationTest {

  private static final int ORDERS = "long".equals(System.getProperty("holdfast.tests")) ? 500 : 3;

  /** Two transfers cross, and a third may find too little money. */
  private static final class Transfers implements Scenario {

    private final List<Transfer> accepted = new ArrayList<>();

    @Override
    public void register(ObjectRegistrar objects) {
      objects.namespace(Ledger.ACCOUNTS, Account.class, AccountObject::new);
    }

    @Override
    public void run(Run run) throws Exception {
      ObjectNamespace<Account> accounts = run.namespace(Ledger.ACCOUNTS, Account.class);
      run.together(
          () -> send(accounts, new Transfer("1", "ann", "bob", 60_000)),
          () -> send(accounts, new Transfer("2", "bob", "ann", 100_001)),
          () -> send(accounts, new Transfer("3", "ann", "cleo", 50_000)));
    }

    private void send(ObjectNamespace<Account> accounts, Transfer transfer) {
      if (accounts.getByName(transfer.from()).send(transfer) == Outcome.ACCEPTED) {
        accepted.add(transfer);
      }
    }

    @Override
    public void check(Run run) {
      ObjectNamespace<Account> accounts = run.namespace(Ledger.ACCOUNTS, Account.class);
      List<String> numbers = List.of("ann", "bob", "cleo");
      numbers.forEach(each -> accounts.getByName(each).deliverPending());
      long sum = 0;
      for (String each : numbers) {
        Statement statement = accounts.getByName(each).statement();
        assertThat(statement.balanceCents()).as(each).isNotNegative();
        sum += statement.balanceCents();
      }
      assertThat(sum).as("all money").isEqualTo(3 * Account.OPENING_CENTS);
      for (Transfer each : accepted) {
        assertThat(accounts.getByName(each.to()).statement().received())
            .as("an accepted transfer")
            .contains(each);
      }
    }
  }

  @Test
  void moneyIsNeitherMadeNorLost() {
    Explored explored = Explorer.withSql().explore(1, ORDERS, Transfers::new);
    assertThat(explored.runs()).isGreaterThan(ORDERS * 10L);
  }
}
