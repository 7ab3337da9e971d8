package dev.holdfast.spring.shop;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.spring.DurableObject;

/** A cart with its lines in a table. */
@DurableObject("carts")
class CartObject implements Cart, AlarmHandler {

  private final ObjectContext context;
  private final Prices prices;

  CartObject(ObjectContext context, Prices prices) {
    this.context = context;
    this.prices = prices;
  }

  @Override
  public void add(String article, int quantity) {
    context
        .storage()
        .sql()
        .exec(
            "INSERT INTO lines (article, quantity) VALUES (?, ?)"
                + " ON CONFLICT (article) DO UPDATE SET quantity = quantity + excluded.quantity",
            article,
            quantity);
  }

  @Override
  public long total() {
    return context
        .storage()
        .sql()
        .exec("SELECT article, quantity FROM lines")
        .as(Line.class)
        .toList()
        .stream()
        .mapToLong(line -> line.quantity() * prices.of(line.article()))
        .sum();
  }

  private record Line(String article, long quantity) {}

  @Override
  public void remind() {
    context.storage().setAlarm(context.clock().instant());
  }

  @Override
  public int reminders() {
    return context.storage().get("reminders", Integer.class).orElse(0);
  }

  @Override
  public void alarm(AlarmInfo alarm) {
    context.storage().put("reminders", reminders() + 1);
  }
}
