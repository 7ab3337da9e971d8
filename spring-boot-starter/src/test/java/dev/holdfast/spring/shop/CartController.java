package dev.holdfast.spring.shop;

import dev.holdfast.ObjectNamespace;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Carts over HTTP. */
@RestController
class CartController {

  private final ObjectNamespace<Cart> carts;

  CartController(ObjectNamespace<Cart> carts) {
    this.carts = carts;
  }

  @PostMapping("/carts/{name}")
  long add(@PathVariable String name, @RequestParam String article, @RequestParam int quantity) {
    Cart cart = carts.getByName(name);
    cart.add(article, quantity);
    return cart.total();
  }

  @GetMapping("/carts/{name}")
  long total(@PathVariable String name) {
    return carts.getByName(name).total();
  }

  @GetMapping("/ids/{id}")
  long totalById(@PathVariable String id) {
    return carts.get(carts.idFromString(id)).total();
  }
}
