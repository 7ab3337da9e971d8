package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsObject;
import dev.holdfast.value.Alias;
import dev.holdfast.value.Tag;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Values of sealed types say which class they are of. */
final class SealedTypesTest {

  private static final StructuredClone CLONE = StructuredClone.standard();

  sealed interface Payment permits Cash, Transfer, Voucher, Free {}

  record Cash(long cents) implements Payment {}

  @Tag("transfer")
  record Transfer(String account, long cents) implements Payment {}

  @Alias("Coupon")
  record Voucher(String code) implements Payment {}

  enum Free implements Payment {
    SAMPLE,
    GIFT
  }

  record Order(String id, Payment payment, List<Payment> refunds) {}

  sealed interface Expression permits Constant, Operation {}

  record Constant(long value) implements Expression {}

  sealed interface Operation extends Expression permits Sum {}

  record Sum(Expression left, Expression right) implements Operation {}

  sealed interface Result<T> permits Success, Failure {}

  record Success<V>(V value, List<V> more) implements Result<V> {}

  record Failure<V>(String reason) implements Result<V> {}

  record Attempt(Result<Cash> result) {}

  sealed interface Open permits Loose {}

  static non-sealed class Loose implements Open {}

  sealed interface Twins permits First, Second {}

  record First() implements Twins {}

  @Tag("First")
  record Second() implements Twins {}

  record Types(Optional<Payment> optional, Result<Cash> result) {}

  private static Type type(String name) {
    for (RecordComponent component : Types.class.getRecordComponents()) {
      if (component.getName().equals(name)) {
        return component.getGenericType();
      }
    }
    throw new IllegalArgumentException(name);
  }

  private static <T> @Nullable T roundTrip(T value, Class<T> type) {
    return CLONE.decode(CLONE.encodeReadable(value), type);
  }

  private static JsObject object(Object... namesAndValues) {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      properties.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return new JsObject(properties);
  }

  @Test
  void eachClassComesBackAsItself() {
    Order order =
        new Order(
            "o-1",
            new Transfer("DE02", 500),
            List.of(new Cash(1), new Voucher("x"), Free.GIFT, new Cash(1)));
    assertThat(roundTrip(order, Order.class)).isEqualTo(order);
    assertThat(CLONE.decode(CLONE.encode(new Cash(1)), Payment.class)).isEqualTo(new Cash(1));
    assertThat(CLONE.decode(CLONE.encode(Free.SAMPLE), Payment.class)).isEqualTo(Free.SAMPLE);
    assertThat(CLONE.decode(CLONE.encode(new Cash(1)), Cash.class)).isEqualTo(new Cash(1));
    assertThat(CLONE.decode(CLONE.encode(null), Payment.class)).isNull();
  }

  @Test
  void nameIsTheFirstProperty() {
    assertThat(CLONE.decode(CLONE.encode(new Cash(1))))
        .isEqualTo(object("@type", "Cash", "cents", 1L));
    assertThat(CLONE.decode(CLONE.encode(new Transfer("DE02", 5))))
        .isEqualTo(object("@type", "transfer", "account", "DE02", "cents", 5L));
  }

  @Test
  void nestedSealedTypesAreOneFamily() {
    Expression sum = new Sum(new Constant(1), new Sum(new Constant(2), new Constant(3)));
    assertThat(CLONE.decode(CLONE.encodeReadable(sum), Expression.class)).isEqualTo(sum);
    assertThat(CLONE.decode(CLONE.encodeReadable(sum), Operation.class)).isEqualTo(sum);
  }

  @Test
  void argumentsOfTheSealedTypeReachItsClasses() {
    Attempt attempt = new Attempt(new Success<>(new Cash(1), List.of(new Cash(2))));
    assertThat(roundTrip(attempt, Attempt.class)).isEqualTo(attempt);
    assertThat(CLONE.decode(CLONE.encode(new Failure<Cash>("no")), type("result")))
        .isEqualTo(new Failure<>("no"));
    assertThat(CLONE.decode(CLONE.encode(new Cash(1)), type("optional")))
        .isEqualTo(Optional.of(new Cash(1)));
  }

  @Test
  void sharedValueStaysShared() {
    Cash cash = new Cash(1);
    List<?> refunds = roundTrip(new Order("o", cash, List.of(cash)), Order.class).refunds();
    assertThat(refunds.getFirst()).isEqualTo(cash);
    Order order = roundTrip(new Order("o", cash, List.of(cash)), Order.class);
    assertThat(order.refunds().getFirst()).isSameAs(order.payment());
  }

  @Test
  void classThatWasRenamedIsReadByItsEarlierName() {
    byte[] stored = CLONE.encode(object("@type", "Coupon", "code", "x"));
    assertThat(CLONE.decode(stored, Payment.class)).isEqualTo(new Voucher("x"));
    assertThat(CLONE.decode(stored, Voucher.class)).isEqualTo(new Voucher("x"));
  }

  @Test
  void unknownNameIsRefusedWithTheKnownOnes() {
    byte[] stored = CLONE.encode(object("@type", "Cheque", "number", 1L));
    assertThatThrownBy(() -> CLONE.decode(stored, Payment.class))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("found \"Cheque\"")
        .hasMessageContaining("[Cash, transfer, Voucher, Coupon]")
        .hasMessageContaining("@Alias");
  }

  @Test
  void valueOfAnotherClassOfTheFamilyIsRefused() {
    byte[] stored = CLONE.encode(new Cash(1));
    assertThatThrownBy(() -> CLONE.decode(stored, Voucher.class))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("found a value of its sealed type that is a \"Cash\"");
  }

  @Test
  void objectWithoutANameIsReadAsItsClassOnly() {
    byte[] stored = CLONE.encode(object("cents", 1L));
    assertThat(CLONE.decode(stored, Cash.class)).isEqualTo(new Cash(1));
    assertThatThrownBy(() -> CLONE.decode(stored, Payment.class))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("does not begin with the property \"@type\"");
    assertThatThrownBy(() -> CLONE.decode(CLONE.encode(7L), Expression.class))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("expected " + Expression.class.getTypeName());
  }

  @Test
  void familiesWithoutAnEndOrWithOneNameTwiceAreRefused() {
    assertThatThrownBy(() -> CLONE.decode(CLONE.encode(null), Open.class))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("Loose is not sealed");
    assertThatThrownBy(() -> CLONE.decode(CLONE.encode(null), Twins.class))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("have both the name \"First\"");
  }
}
