package dev.holdfast.operate;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.health.HealthOptions;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Instant;

/** A runtime with one account that has keys, a table and an alarm, at a time that never changes. */
public final class Shop {

  /** Listens for operators, and is healthy on any disk. */
  static final RuntimeOptions SERVED =
      RuntimeOptions.DEFAULT
          .withOperatorSocket()
          .withHealth(HealthOptions.DEFAULT.withDiskFreeMin(0, 0));

  /** An account. */
  public interface Account {

    /** Adds an amount. */
    long add(long amount);
  }

  /** A stored value that JSON cannot express. */
  public record Entry(long amount, Instant at) {}

  private record AccountObject(ObjectContext context) implements Account, AlarmHandler {

    @Override
    public long add(long amount) {
      long balance = context.storage().get("balance", Long.class).orElse(0L) + amount;
      context.storage().put("balance", balance);
      context.storage().put("last", new Entry(amount, Instant.EPOCH));
      context.storage().sql().exec("CREATE TABLE IF NOT EXISTS sent (id INTEGER, cents REAL)");
      context.storage().sql().exec("INSERT INTO sent VALUES (?, 1.5)", balance);
      context.storage().setAlarm(Instant.parse("2030-01-01T00:00:00Z"));
      return balance;
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  private Shop() {}

  /** Makes an account. */
  static Account account(ObjectContext context) {
    return new AccountObject(context);
  }

  /** Opens the runtime and writes twice. */
  static ObjectRuntime open(Path data, RuntimeOptions options) {
    ObjectRuntime runtime =
        Holdfast.open(
            data,
            new VirtualClock(),
            objects ->
                objects.namespace("accounts", Account.class, AccountObject::new).options(options));
    Account alice = runtime.namespace("accounts", Account.class).getByName("alice");
    alice.add(3);
    alice.add(4);
    return runtime;
  }
}
