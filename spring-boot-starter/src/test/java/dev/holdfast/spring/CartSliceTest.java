package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.spring.shop.Cart;
import dev.holdfast.spring.shop.Prices;
import dev.holdfast.spring.shop.ShopApplication;
import dev.holdfast.spring.test.DurableObjectTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.ContextConfiguration;

/** Objects alone, with a bean of the test. */
@DurableObjectTest
@ContextConfiguration(classes = {ShopApplication.class, CartSliceTest.FixedPrices.class})
class CartSliceTest {

  @TestConfiguration
  static class FixedPrices {
    @Bean
    Prices prices() {
      return new Prices() {
        @Override
        public long of(String article) {
          return 5;
        }
      };
    }
  }

  @Autowired private ObjectNamespace<Cart> carts;
  @Autowired private ApplicationContext context;

  @Test
  void objectsRunWithoutTheRestOfTheApplication() {
    carts.getByName("ann").add("tea", 3);
    assertThat(carts.getByName("ann").total()).isEqualTo(15);
    assertThat(context.containsBean("cartController")).isFalse();
  }
}
