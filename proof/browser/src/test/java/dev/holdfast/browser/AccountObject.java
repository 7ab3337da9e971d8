package dev.holdfast.browser;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import java.time.Instant;
import java.util.Map;

/** Keeps a balance, the last booking and, where it has SQL, all bookings. */
final class AccountObject implements Account, AlarmHandler {

  private final ObjectContext context;

  AccountObject(ObjectContext context) {
    this.context = context;
  }

  @Override
  public long add(long cents, String note) {
    long balance = balance() + cents;
    context.storage().put("balance", balance);
    context.storage().put("last", Map.of("cents", cents, "note", note));
    context.storage().setAlarm(Instant.parse("2200-01-01T00:00:00Z").plusSeconds(cents));
    context.emit("bookings", note);
    return balance;
  }

  @Override
  public void alarm(AlarmInfo alarm) {}

  @Override
  public long balance() {
    return context.storage().get("balance", Long.class).orElse(0L);
  }
}
