package dev.holdfast.shop;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.spring.DurableObject;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ObjectStorage;
import java.util.List;
import java.util.Optional;

/** {@link Cart}, with its lines in a table. Its turns run one after the other: no locks. */
@DurableObject("carts")
class CartObject implements Cart {

  private final ObjectContext context;
  private final ObjectStorage storage;
  private final SqlStorage sql;
  private final PriceList prices;
  private final ObjectNamespace<Stock> stock;
  private final String customer;

  CartObject(ObjectContext context, PriceList prices, ObjectNamespace<Stock> stock) {
    this.context = context;
    this.storage = context.storage();
    this.sql = storage.sql();
    this.prices = prices;
    this.stock = stock;
    this.customer = context.id().toString();
  }

  @Override
  public void add(String article, int quantity) {
    prices.cents(article);
    sql.exec(
        "INSERT INTO lines (article, quantity) VALUES (?, ?)"
            + " ON CONFLICT (article) DO UPDATE SET quantity = quantity + excluded.quantity",
        article,
        quantity);
  }

  @Override
  public List<Line> lines() {
    return sql.exec("SELECT article, quantity FROM lines ORDER BY article").as(Line.class).toList();
  }

  @Override
  public long cents() {
    return lines().stream().mapToLong(each -> each.quantity() * prices.cents(each.article())).sum();
  }

  /** A failure on the way leaves reservations that end by themselves. */
  @Override
  public String order() {
    long number = storage.get("orders", Long.class).orElse(0L) + 1;
    String order = customer + "-" + number;
    // Before the stock knows the number: a crash must not give it to another order.
    storage.put("orders", number);
    // Calls of the stock are waits: without the section, a line that is added meanwhile is lost.
    Optional<String> missing = context.blockConcurrencyWhile(() -> reserve(order));
    missing.ifPresent(
        article -> {
          throw new OutOfStockException(article);
        });
    return order;
  }

  /** Returns the article that is out of stock; then nothing is reserved. */
  private Optional<String> reserve(String order) {
    List<Line> lines = lines();
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      if (!stock.getByName(line.article()).reserve(order, line.quantity())) {
        lines.subList(0, i).forEach(each -> stock.getByName(each.article()).release(order));
        return Optional.of(line.article());
      }
    }
    storage.put(order, lines.stream().map(Line::article).toList());
    sql.exec("DELETE FROM lines");
    return Optional.empty();
  }

  @Override
  public void pay(String order) {
    for (Object article : storage.get(order, List.class).orElse(List.of())) {
      stock.getByName(article.toString()).sell(order);
    }
  }
}
