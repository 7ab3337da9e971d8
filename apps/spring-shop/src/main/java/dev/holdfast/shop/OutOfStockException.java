package dev.holdfast.shop;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** An order needs more of an article than there is. */
@ResponseStatus(HttpStatus.CONFLICT)
public class OutOfStockException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  OutOfStockException(String article) {
    super("Too few of " + article + " are left");
  }
}
