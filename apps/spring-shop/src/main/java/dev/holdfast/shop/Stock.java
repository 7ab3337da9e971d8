package dev.holdfast.shop;

/** The stock of one article. */
public interface Stock {

  /** Adds to the stock. */
  void deliver(int quantity);

  /** {@return how many are neither sold nor reserved} */
  int available();

  /** {@return whether an order has its quantity now} A repetition reserves nothing more. */
  boolean reserve(String order, int quantity);

  /** Takes a reservation back. */
  void release(String order);

  /** Makes a reservation final. */
  void sell(String order);
}
