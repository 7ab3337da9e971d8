package dev.holdfast.ledger;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;

/** A ledger in a directory. Thread-safe. */
public final class Ledger implements AutoCloseable {

  /** The namespace of the accounts; part of the stored data, so it can never change. */
  static final String ACCOUNTS = "accounts";

  private final ObjectRuntime runtime;
  private final ObjectNamespace<Account> accounts;

  private Ledger(ObjectRuntime runtime) {
    this.runtime = runtime;
    this.accounts = runtime.namespace(ACCOUNTS, Account.class);
  }

  /**
   * Opens a ledger, and recovers it if the last process that had it open was killed.
   *
   * @param directory the directory, which is created if it is missing
   * @return the ledger
   */
  public static Ledger open(Path directory) {
    return on(Holdfast.open(directory, Ledger::register));
  }

  /**
   * {@return the ledger of a runtime; closed with it}
   *
   * @param runtime has the accounts, as {@link #register} adds them
   */
  public static Ledger on(ObjectRuntime runtime) {
    return new Ledger(runtime);
  }

  /**
   * Adds the accounts to a runtime.
   *
   * @param objects registers namespaces
   */
  public static void register(ObjectRegistrar objects) {
    objects.namespace(ACCOUNTS, Account.class, AccountObject::new);
  }

  /**
   * {@return an account}
   *
   * @param number any text; every number has an account
   */
  public Account account(String number) {
    return accounts.getByName(number);
  }

  @Override
  public void close() {
    runtime.close();
  }
}
