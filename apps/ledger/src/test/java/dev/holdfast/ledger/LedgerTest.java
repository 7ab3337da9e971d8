package dev.holdfast.ledger;

import static dev.holdfast.ledger.Account.OPENING_CENTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.ledger.Statement.Sent;
import dev.holdfast.ledger.Statement.State;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LedgerTest {

  @TempDir private Path directory;

  @Test
  void transferMovesMoneyOnceHoweverOftenItIsSent() {
    try (Ledger ledger = Ledger.open(directory)) {
      Transfer transfer = new Transfer("t1", "a", "b", 2_500);

      assertThat(ledger.account("a").send(transfer)).isEqualTo(Outcome.ACCEPTED);
      assertThat(ledger.account("a").send(transfer)).isEqualTo(Outcome.ACCEPTED);

      assertThat(balance(ledger, "a")).isEqualTo(OPENING_CENTS - 2_500);
      assertThat(balance(ledger, "b")).isEqualTo(OPENING_CENTS + 2_500);
      assertThat(ledger.account("a").statement().sent())
          .containsExactly(new Sent(transfer, State.DELIVERED));
      assertThat(ledger.account("b").statement().received()).containsExactly(transfer);
    }
  }

  @Test
  void uncoveredTransferIsRefusedForGood() {
    try (Ledger ledger = Ledger.open(directory)) {
      Transfer tooMuch = new Transfer("t1", "a", "b", OPENING_CENTS + 1);
      assertThat(ledger.account("a").send(tooMuch)).isEqualTo(Outcome.REFUSED);
      ledger.account("c").send(new Transfer("t2", "c", "a", 1));

      assertThat(ledger.account("a").send(tooMuch)).isEqualTo(Outcome.REFUSED);

      assertThat(balance(ledger, "a")).isEqualTo(OPENING_CENTS + 1);
      assertThat(balance(ledger, "b")).isEqualTo(OPENING_CENTS);
    }
  }

  @Test
  void transferOfTheWholeBalanceIsCovered() {
    try (Ledger ledger = Ledger.open(directory)) {
      Transfer all = new Transfer("t1", "a", "b", OPENING_CENTS);

      assertThat(ledger.account("a").send(all)).isEqualTo(Outcome.ACCEPTED);

      assertThat(balance(ledger, "a")).isZero();
    }
  }

  @Test
  void idOfAnotherTransferIsRefused() {
    try (Ledger ledger = Ledger.open(directory)) {
      ledger.account("a").send(new Transfer("t1", "a", "b", 1));

      assertThatThrownBy(() -> ledger.account("a").send(new Transfer("t1", "a", "b", 2)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("t1");
      assertThat(balance(ledger, "a")).isEqualTo(OPENING_CENTS - 1);
    }
  }

  @Test
  void oneIdOfTwoSendersIsTwoTransfers() {
    try (Ledger ledger = Ledger.open(directory)) {
      ledger.account("a").send(new Transfer("t1", "a", "c", 1));
      ledger.account("b").send(new Transfer("t1", "b", "c", 1));

      assertThat(balance(ledger, "c")).isEqualTo(OPENING_CENTS + 2);
    }
  }

  @Test
  void transferFromAnotherAccountIsRefused() {
    try (Ledger ledger = Ledger.open(directory)) {
      assertThatThrownBy(() -> ledger.account("a").send(new Transfer("t1", "b", "a", 1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void undeliveredTransferIsDeliveredLaterOnce() {
    AtomicBoolean receiversFail = new AtomicBoolean(true);
    try (ObjectRuntime runtime = openFailing(receiversFail)) {
      var accounts = runtime.namespace(Ledger.ACCOUNTS, Account.class);
      Transfer transfer = new Transfer("t1", "a", "b", 100);
      assertThatThrownBy(() -> accounts.getByName("a").send(transfer)).hasMessage("no receipt");
      assertThat(accounts.getByName("a").statement().sent())
          .containsExactly(new Sent(transfer, State.PENDING));

      receiversFail.set(false);

      assertThat(accounts.getByName("a").deliverPending()).isEqualTo(1);
      assertThat(accounts.getByName("a").deliverPending()).isZero();
      assertThat(accounts.getByName("b").statement().balanceCents()).isEqualTo(OPENING_CENTS + 100);
    }
  }

  @Test
  void everythingIsThereAfterReopening() {
    Statement before;
    try (Ledger ledger = Ledger.open(directory)) {
      ledger.account("a").send(new Transfer("t1", "a", "b", 100));
      before = ledger.account("a").statement();
    }

    try (Ledger ledger = Ledger.open(directory)) {
      assertThat(ledger.account("a").statement()).isEqualTo(before);
    }
  }

  @Test
  void manyCallersAtOnceNeitherMakeNorLoseMoney() throws Exception {
    List<String> numbers = List.of("a", "b", "c", "d", "e");
    try (Ledger ledger = Ledger.open(directory);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> calls = new ArrayList<>();
      IntStream.range(0, 16)
          .forEach(caller -> calls.add(callers.submit(() -> sendMany(ledger, numbers, caller))));
      for (Future<?> call : calls) {
        call.get();
      }

      long sum = numbers.stream().mapToLong(number -> balance(ledger, number)).sum();
      assertThat(sum).isEqualTo(OPENING_CENTS * numbers.size());
      assertThat(numbers).allMatch(number -> balance(ledger, number) >= 0);
    }
  }

  /** Two callers each send the same transfers, so that repeated transfers run at the same time. */
  private static void sendMany(Ledger ledger, List<String> numbers, int caller) {
    SplittableRandom random = new SplittableRandom(caller / 2);
    for (int number = 0; number < 50; number++) {
      int from = random.nextInt(numbers.size());
      int to = (from + 1 + random.nextInt(numbers.size() - 1)) % numbers.size();
      String id = caller / 2 + "-" + number;
      ledger
          .account(numbers.get(from))
          .send(
              new Transfer(
                  id, numbers.get(from), numbers.get(to), random.nextLong(1, OPENING_CENTS)));
    }
  }

  private static long balance(Ledger ledger, String number) {
    return ledger.account(number).statement().balanceCents();
  }

  private ObjectRuntime openFailing(AtomicBoolean receiversFail) {
    return Holdfast.open(
        directory,
        objects ->
            objects.namespace(
                Ledger.ACCOUNTS,
                Account.class,
                context -> new FailingReceiver(new AccountObject(context), receiversFail)));
  }

  /** An account that refuses money while a flag is set. */
  private record FailingReceiver(Account account, AtomicBoolean fails) implements Account {

    @Override
    public void receive(Transfer transfer) {
      if (fails.get()) {
        throw new IllegalStateException("no receipt");
      }
      account.receive(transfer);
    }

    @Override
    public Outcome send(Transfer transfer) {
      return account.send(transfer);
    }

    @Override
    public int deliverPending() {
      return account.deliverPending();
    }

    @Override
    public Statement statement() {
      return account.statement();
    }
  }
}
