package dev.holdfast.shop;

import java.util.Map;
import org.springframework.stereotype.Component;

/** What the shop sells. */
@Component
public class PriceList {

  private static final Map<String, Long> CENTS = Map.of("tea", 450L, "coffee", 690L, "cup", 1_200L);

  /**
   * {@return the price of an article in cents}
   *
   * @param article the article
   * @throws UnknownArticleException if the shop does not sell it
   */
  public long cents(String article) {
    Long cents = CENTS.get(article);
    if (cents == null) {
      throw new UnknownArticleException(article);
    }
    return cents;
  }
}
