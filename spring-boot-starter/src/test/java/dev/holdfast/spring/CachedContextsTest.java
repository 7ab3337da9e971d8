package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.spring.shop.Cart;
import dev.holdfast.spring.shop.Prices;
import dev.holdfast.spring.shop.ShopApplication;
import dev.holdfast.spring.test.DurableObjectTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.ResolvableType;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;

/** Two contexts that Spring keeps for later tests are open at the same time. */
class CachedContextsTest {

  @DurableObjectTest
  @ContextConfiguration(classes = ShopApplication.class)
  @Import(Prices.class)
  @TestPropertySource(properties = "context=one")
  private static final class One {}

  @DurableObjectTest
  @ContextConfiguration(classes = ShopApplication.class)
  @Import(Prices.class)
  @TestPropertySource(properties = "context=two")
  private static final class Two {}

  @Test
  void contextsDoNotMeetInADirectory() {
    TestContextManager one = new TestContextManager(One.class);
    TestContextManager two = new TestContextManager(Two.class);
    Path first = directory(one);
    Path second = directory(two);

    cart(one).add("tea", 1);

    assertThat(first).isNotEqualTo(second).exists();
    assertThat(second).exists();
    assertThat(cart(one).total()).isEqualTo(300);
    assertThat(cart(two).total()).isZero();

    one.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
    assertThat(first.getParent()).as("deleted with its context").doesNotExist();
    assertThat(cart(two).total()).isZero();
    two.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
  }

  private static Path directory(TestContextManager test) {
    return context(test).getBean(HoldfastProperties.class).directory();
  }

  private static Cart cart(TestContextManager test) {
    ObjectProvider<ObjectNamespace<Cart>> carts =
        context(test)
            .getBeanProvider(
                ResolvableType.forClassWithGenerics(ObjectNamespace.class, Cart.class));
    return carts.getObject().getByName("ann");
  }

  private static ApplicationContext context(TestContextManager test) {
    return test.getTestContext().getApplicationContext();
  }
}
