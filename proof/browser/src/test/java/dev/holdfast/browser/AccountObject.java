package dev.holdfast.browser;

import dev.holdfast.ObjectContext;
import java.util.Map;

/** Keeps a balance, the last booking and, where it has SQL, all bookings. */
final class AccountObject implements Account {

  private final ObjectContext context;

  AccountObject(ObjectContext context) {
    this.context = context;
  }

  @Override
  public long add(long cents, String note) {
    long balance = balance() + cents;
    context.storage().put("balance", balance);
    context.storage().put("last", Map.of("cents", cents, "note", note));
    return balance;
  }

  @Override
  public long balance() {
    return context.storage().get("balance", Long.class).orElse(0L);
  }
}
