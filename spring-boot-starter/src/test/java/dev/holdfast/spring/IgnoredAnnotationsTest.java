package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

/** What Spring does for beans, and not for objects. */
final class IgnoredAnnotationsTest {

  interface Cart {
    void add();
  }

  @Service
  @DurableObject("carts")
  static class BeanLikeCart implements Cart {

    @Autowired private @Nullable Runnable prices;

    BeanLikeCart(ObjectContext context) {}

    @Override
    public void add() {
      assertThat(prices).isNull();
    }

    @Scheduled(fixedRate = 1000)
    void clean() {}
  }

  @DurableObject("plain")
  static class PlainCart implements Cart {

    @Autowired
    PlainCart(ObjectContext context) {}

    @Override
    public void add() {}
  }

  @Test
  void annotationsOfBeansAreFound() {
    assertThat(RegisteredObject.of(BeanLikeCart.class).ignoredAnnotations())
        .containsExactlyInAnyOrder(
            "@Component BeanLikeCart",
            "@Autowired BeanLikeCart.prices",
            "@Scheduled BeanLikeCart.clean()");
  }

  @Test
  void constructorMayBeMarked() {
    assertThat(RegisteredObject.of(PlainCart.class).ignoredAnnotations()).isEmpty();
  }
}
