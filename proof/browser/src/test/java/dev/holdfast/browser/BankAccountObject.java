package dev.holdfast.browser;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;

/** An account with its bookings in a table. */
final class BankAccountObject implements Account, AlarmHandler {

  private final ObjectContext context;
  private final AccountObject account;

  BankAccountObject(ObjectContext context) {
    this.context = context;
    this.account = new AccountObject(context);
    context
        .storage()
        .sql()
        .exec("CREATE TABLE IF NOT EXISTS booking (cents INTEGER NOT NULL, note TEXT)");
  }

  @Override
  public long add(long cents, String note) {
    context.storage().sql().exec("INSERT INTO booking VALUES (?, ?)", cents, note);
    return account.add(cents, note);
  }

  @Override
  public void alarm(AlarmInfo alarm) {}

  @Override
  public long balance() {
    return account.balance();
  }
}
