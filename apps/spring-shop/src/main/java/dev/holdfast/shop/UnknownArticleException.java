package dev.holdfast.shop;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** The shop does not sell an article. */
@ResponseStatus(HttpStatus.NOT_FOUND)
public class UnknownArticleException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnknownArticleException(String article) {
    super("The shop does not sell " + article);
  }
}
