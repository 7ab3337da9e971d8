package dev.holdfast.shop;

import java.util.List;

/** The cart of one customer. */
public interface Cart {

  /** Adds an article. */
  void add(String article, int quantity);

  /** {@return the lines, by article} */
  List<Line> lines();

  /** {@return the sum of all lines in cents} */
  long cents();

  /**
   * Orders what is in the cart: reserves all lines for a quarter of an hour, and empties the cart.
   *
   * @throws OutOfStockException if an article is out of stock; then nothing is reserved
   */
  String order();

  /** Pays an order: what it has reserved is sold. */
  void pay(String order);
}
