package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.filter.CallFilter;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call that throws leaves nothing behind, if the namespace says so. */
final class RollbackOnExceptionTest {

  /** An account. */
  public interface Account {

    /** Adds to the balance, sets an alarm, emits an event, calls another account, and may fail. */
    void add(long amount, boolean waits, boolean fails);

    /** Describes all that is kept. */
    String state();
  }

  static final class AccountObject implements Account, AlarmHandler {

    private final ObjectContext context;

    AccountObject(ObjectContext context) {
      this.context = context;
      context.storage().sql().exec("CREATE TABLE IF NOT EXISTS line (amount INTEGER)");
    }

    @Override
    public void add(long amount, boolean waits, boolean fails) {
      context.storage().put("amount", amount);
      context.storage().sql().exec("INSERT INTO line VALUES (?)", amount);
      context.storage().setAlarm(context.clock().instant().plus(Duration.ofDays(1)));
      if (waits) {
        context.namespace("accounts", Account.class).getByName("other").add(amount, false, false);
        context.storage().put("amount", amount + 1);
      }
      if (fails) {
        throw new IllegalStateException("no");
      }
    }

    @Override
    public String state() {
      return context.storage().get("amount", Long.class).orElse(0L)
          + " "
          + context.storage().sql().exec("SELECT count(*) AS n FROM line").one().getLong("n")
          + " "
          + context.storage().getAlarm().isPresent();
    }

    @Override
    public void alarm(AlarmInfo info) {
      // a day later
    }
  }

  @TempDir private Path directory;

  private ObjectRuntime open() {
    return Runtimes.open(
        directory,
        objects ->
            objects
                .namespace("accounts", Account.class, AccountObject::new)
                .filter("accounts", CallFilter.rollbackOnException()));
  }

  @Test
  void callThatThrowsLeavesNothing() {
    try (ObjectRuntime runtime = open()) {
      Account account = runtime.namespace("accounts", Account.class).getByName("a");
      for (boolean waits : new boolean[] {false, true}) {
        assertThatIllegalStateException()
            .isThrownBy(() -> account.add(5, waits, true))
            .withMessage("no");
        assertThat(account.state()).isEqualTo("0 0 false");
      }
      account.add(5, true, false);
      assertThat(account.state()).isEqualTo("6 1 true");
    }
    try (ObjectRuntime runtime = open()) {
      assertThat(runtime.namespace("accounts", Account.class).getByName("a").state())
          .isEqualTo("6 1 true");
    }
  }
}
