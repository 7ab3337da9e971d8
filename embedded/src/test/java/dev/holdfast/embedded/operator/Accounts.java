package dev.holdfast.embedded.operator;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A runtime with objects in both storage engines, and copies of its directory as kills leave it.
 */
final class Accounts {

  static final String SQLITE = "accounts";
  static final String ROCKSDB = "rocks";
  static final Instant ALARM = Instant.parse("2030-01-01T00:00:00Z");

  interface Account {
    long add(long amount);
  }

  private static final class AccountObject implements Account, AlarmHandler {

    private final ObjectContext context;

    AccountObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public long add(long amount) {
      long balance = context.storage().get("balance", Long.class).orElse(0L) + amount;
      context.storage().put("balance", balance);
      context.storage().setAlarm(ALARM);
      return balance;
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  private Accounts() {}

  /** {@return an open runtime, with a balance of 3 for alice in both engines} */
  static ObjectRuntime open(Path data, VirtualClock clock, RuntimeOptions options) {
    ObjectRuntime runtime = Holdfast.open(data, clock, objects -> register(objects, options));
    account(runtime, SQLITE, "alice").add(3);
    account(runtime, ROCKSDB, "alice").add(3);
    return runtime;
  }

  private static void register(ObjectRegistrar objects, RuntimeOptions options) {
    objects
        .namespace(SQLITE, Account.class, AccountObject::new)
        .namespace(
            ROCKSDB,
            Account.class,
            AccountObject::new,
            NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB))
        .options(options);
  }

  static Account account(ObjectRuntime runtime, String namespace, String name) {
    return runtime.namespace(namespace, Account.class).getByName(name);
  }

  static OperatorRequest about(String verb, String namespace, @Nullable String object) {
    return OperatorRequest.of(verb).with("namespace", namespace).with("object", object);
  }

  /** Copies the directory of an open runtime that is idle: what a kill at this moment leaves. */
  static Path killed(Path data, Path copy) throws IOException {
    CopyAtRest.of(data, copy);
    return copy;
  }
}
