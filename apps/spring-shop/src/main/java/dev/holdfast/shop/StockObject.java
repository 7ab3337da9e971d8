package dev.holdfast.shop;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.spring.DurableObject;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** {@link Stock}, with keys. An alarm ends reservations that are not paid in time. */
@DurableObject("stock")
class StockObject implements Stock, AlarmHandler {

  private static final Duration RESERVED_FOR = Duration.ofMinutes(15);
  private static final String RESERVATION = "reservation:";

  private final ObjectContext context;
  private final ObjectStorage storage;

  StockObject(ObjectContext context) {
    this.context = context;
    this.storage = context.storage();
  }

  private record Reservation(int quantity, Instant until) {}

  @Override
  public void deliver(int quantity) {
    storage.put("available", available() + quantity);
  }

  @Override
  public int available() {
    return storage.get("available", Integer.class).orElse(0);
  }

  @Override
  public boolean reserve(String order, int quantity) {
    if (storage.get(RESERVATION + order, Reservation.class).isPresent()) {
      return true;
    }
    if (available() < quantity) {
      return false;
    }
    Instant until = context.clock().instant().plus(RESERVED_FOR);
    storage.put("available", available() - quantity);
    storage.put(RESERVATION + order, new Reservation(quantity, until));
    if (storage.getAlarm().isEmpty()) {
      storage.setAlarm(until);
    }
    return true;
  }

  @Override
  public void release(String order) {
    storage
        .get(RESERVATION + order, Reservation.class)
        .ifPresent(
            reservation -> {
              storage.delete(RESERVATION + order);
              deliver(reservation.quantity());
            });
  }

  @Override
  public void sell(String order) {
    storage.delete(RESERVATION + order);
  }

  @Override
  public void alarm(AlarmInfo alarm) {
    Instant now = context.clock().instant();
    Instant next = Instant.MAX;
    for (Map.Entry<String, Reservation> each :
        storage.list(ListOptions.ALL.withPrefix(RESERVATION), Reservation.class).entrySet()) {
      if (each.getValue().until().isAfter(now)) {
        next = next.isBefore(each.getValue().until()) ? next : each.getValue().until();
      } else {
        release(each.getKey().substring(RESERVATION.length()));
      }
    }
    if (next.isBefore(Instant.MAX)) {
      storage.setAlarm(next);
    }
  }
}
