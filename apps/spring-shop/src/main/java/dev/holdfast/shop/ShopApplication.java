package dev.holdfast.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the shop. */
@SpringBootApplication
@SuppressWarnings("PrivateConstructorForUtilityClass") // Spring makes a bean of it
public class ShopApplication {

  /**
   * Starts the shop.
   *
   * @param arguments properties, such as {@code --server.port=8080}
   */
  public static void main(String[] arguments) {
    SpringApplication.run(ShopApplication.class, arguments);
  }
}
