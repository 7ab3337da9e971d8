package dev.holdfast.spring.shop;

import org.springframework.stereotype.Component;

/** A bean that objects take. */
@Component
public class Prices {

  /** {@return the price of an article in cents} */
  public long of(String article) {
    return article.length() * 100L;
  }
}
