package dev.holdfast.shop;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ObjectStorage;
import java.util.List;

/**
 * A cart with a fault that tests which call one object at a time do not meet: while {@link #order}
 * waits for the stock, a line is added; then all lines are deleted. The first version of {@link
 * CartObject} had this fault and that of {@link Forgetful}.
 */
final class HastyCart implements Cart {

  private final CartObject cart;
  private final ObjectStorage storage;
  private final SqlStorage sql;
  private final ObjectNamespace<Stock> stock;
  private final String customer;

  HastyCart(ObjectContext context, PriceList prices, ObjectNamespace<Stock> stock) {
    this.cart = new CartObject(context, prices, stock);
    this.storage = context.storage();
    this.sql = storage.sql();
    this.stock = stock;
    this.customer = context.id().toString();
  }

  @Override
  public void add(String article, int quantity) {
    cart.add(article, quantity);
  }

  @Override
  public List<Line> lines() {
    return cart.lines();
  }

  @Override
  public long cents() {
    return cart.cents();
  }

  @Override
  public String order() {
    String order = customer + "-" + next();
    storage.put("orders", next());
    place(order);
    return order;
  }

  private long next() {
    return storage.get("orders", Long.class).orElse(0L) + 1;
  }

  private void place(String order) {
    List<Line> lines = lines();
    for (Line each : lines) {
      stock.getByName(each.article()).reserve(order, each.quantity());
    }
    storage.put(order, lines.stream().map(Line::article).toList());
    sql.exec("DELETE FROM lines");
  }

  @Override
  public void pay(String order) {
    cart.pay(order);
  }

  /**
   * A cart that keeps other calls out while it orders, but notes the number of the order last: a
   * crash gives a number that the stock knows to another order.
   */
  static final class Forgetful implements Cart {

    private final ObjectContext context;
    private final HastyCart cart;

    Forgetful(ObjectContext context, PriceList prices, ObjectNamespace<Stock> stock) {
      this.context = context;
      this.cart = new HastyCart(context, prices, stock);
    }

    @Override
    public void add(String article, int quantity) {
      cart.add(article, quantity);
    }

    @Override
    public List<Line> lines() {
      return cart.lines();
    }

    @Override
    public long cents() {
      return cart.cents();
    }

    @Override
    public String order() {
      return context.blockConcurrencyWhile(
          () -> {
            String order = cart.customer + "-" + cart.next();
            cart.place(order);
            cart.storage.put("orders", cart.next());
            return order;
          });
    }

    @Override
    public void pay(String order) {
      cart.pay(order);
    }
  }
}
