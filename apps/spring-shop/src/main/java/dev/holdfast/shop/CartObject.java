package dev.holdfast.shop;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.spring.DurableObject;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ObjectStorage;
import java.util.List;

/** {@link Cart}, with its lines in a table. Its calls run one after the other: no locks. */
@DurableObject("carts")
class CartObject implements Cart {

  private final ObjectStorage storage;
  private final SqlStorage sql;
  private final PriceList prices;
  private final ObjectNamespace<Stock> stock;
  private final String customer;

  CartObject(ObjectContext context, PriceList prices, ObjectNamespace<Stock> stock) {
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
    List<Line> lines = lines();
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      if (!stock.getByName(line.article()).reserve(order, line.quantity())) {
        lines.subList(0, i).forEach(each -> stock.getByName(each.article()).release(order));
        throw new OutOfStockException(line.article());
      }
    }
    storage.put("orders", number);
    storage.put(order, lines.stream().map(Line::article).toList());
    sql.exec("DELETE FROM lines");
    return order;
  }

  @Override
  public void pay(String order) {
    for (Object article : storage.get(order, List.class).orElse(List.of())) {
      stock.getByName(article.toString()).sell(order);
    }
  }
}
