package dev.holdfast.shop;

import dev.holdfast.ObjectNamespace;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The shop over HTTP. */
@RestController
class ShopController {

  private final ObjectNamespace<Cart> carts;
  private final ObjectNamespace<Stock> stock;

  ShopController(ObjectNamespace<Cart> carts, ObjectNamespace<Stock> stock) {
    this.carts = carts;
    this.stock = stock;
  }

  record CartView(List<Line> lines, long cents) {}

  record OrderView(String order) {}

  @GetMapping("/carts/{customer}")
  CartView cart(@PathVariable String customer) {
    Cart cart = carts.getByName(customer);
    return new CartView(cart.lines(), cart.cents());
  }

  @PostMapping("/carts/{customer}/lines")
  CartView add(
      @PathVariable String customer,
      @RequestParam String article,
      @RequestParam(defaultValue = "1") int quantity) {
    carts.getByName(customer).add(article, quantity);
    return cart(customer);
  }

  @PostMapping("/carts/{customer}/orders")
  @ResponseStatus(HttpStatus.CREATED)
  OrderView order(@PathVariable String customer) {
    return new OrderView(carts.getByName(customer).order());
  }

  @PostMapping("/carts/{customer}/orders/{order}/payment")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void pay(@PathVariable String customer, @PathVariable String order) {
    carts.getByName(customer).pay(order);
  }

  @GetMapping("/stock/{article}")
  int available(@PathVariable String article) {
    return stock.getByName(article).available();
  }

  @PostMapping("/stock/{article}/deliveries")
  int deliver(@PathVariable String article, @RequestParam int quantity) {
    stock.getByName(article).deliver(quantity);
    return available(article);
  }
}
