package dev.holdfast.spring.shop;

/** A cart, as callers see it. */
public interface Cart {

  void add(String article, int quantity);

  long total();

  void remind();

  int reminders();
}
