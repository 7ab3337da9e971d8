package dev.holdfast.cluster.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectStub;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.errors.UncopyableValueException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

public final class RemoteMethodTest {

  /** An item. */
  public record Item(String name, int count) {}

  interface Base<T> {
    Object last();

    void keep(T value);
  }

  /** Objects of the tests. */
  interface Cart extends Base<String> {
    int add(String name, int count);

    int add(Item item);

    List<Item> addAll(Map<String, Item> items, long @Nullable [] marks);

    void nothing();

    ObjectId pass(ObjectId id, Object any, ObjectStub<Cart> stub);

    Thread thread(Object value);

    @Override
    String last();

    default int twice(int count) {
      return 2 * count;
    }

    static int ofNoObject() {
      return 1;
    }
  }

  private static final ObjectId ID = ObjectId.of(new byte[32], "one");

  /** Knows ids only. */
  private static final References REFERENCES =
      new References() {
        @Override
        public @Nullable Value addressOf(Object value) {
          return value instanceof ObjectId id ? new Value.Id(id) : null;
        }

        @Override
        public Object resolve(Value address) throws UnreadableValueException {
          if (address instanceof Value.Id id) {
            return id.id();
          }
          throw new UnreadableValueException("no such namespace", null);
        }
      };

  private final RemoteInterface cart =
      new RemoteInterface("carts", Cart.class, StructuredClone.standard(), REFERENCES);

  private RemoteMethod method(String text) {
    return cart.method(text).orElseThrow();
  }

  private @Nullable Object[] sent(String text, @Nullable Object... arguments) throws Exception {
    return method(text).readArguments(method(text).writeArguments(ID, arguments));
  }

  @Test
  void argumentsAreReadAsTheirDeclaredTypes() throws Exception {
    assertThat(sent("add(java.lang.String,int)", "nut", 3)).containsExactly("nut", 3);
    assertThat(sent("add(dev.holdfast.cluster.value.RemoteMethodTest$Item)", new Item("nut", 3)))
        .containsExactly(new Item("nut", 3));
    assertThat(sent("addAll(java.util.Map,[J)", Map.of("a", new Item("nut", 3)), new long[] {1, 2}))
        .containsExactly(Map.of("a", new Item("nut", 3)), new long[] {1, 2});
    assertThat(sent("addAll(java.util.Map,[J)", Map.of(), null)).containsExactly(Map.of(), null);
    assertThat(sent("keep(java.lang.Object)", "text")).containsExactly("text");
  }

  @Test
  void resultIsReadAsItsDeclaredType() throws Exception {
    RemoteMethod addAll = method("addAll(java.util.Map,[J)");
    List<Item> items = List.of(new Item("nut", 3));

    assertThat(addAll.readResult(addAll.writeResult(ID, items))).isEqualTo(items);
    RemoteMethod nothing = method("nothing()");
    assertThat(nothing.readResult(nothing.writeResult(ID, null))).isNull();
  }

  @Test
  void idsTravelAsAddressesWhereverTheyAreDeclared() throws Exception {
    String pass = "pass(dev.holdfast.ObjectId,java.lang.Object,dev.holdfast.ObjectStub)";

    @Nullable Object[] read = sent(pass, ID, ID, null);

    assertThat(read).containsExactly(ID, ID, null);
    assertThat(((ObjectId) Objects.requireNonNull(read[0])).name()).contains("one");
  }

  @Test
  void addressOfAnotherKindThanDeclaredIsRefused() {
    String pass = "pass(dev.holdfast.ObjectId,java.lang.Object,dev.holdfast.ObjectStub)";
    List<Value> idForStub = List.of(new Value.Null(), new Value.Null(), new Value.Id(ID));

    assertThatThrownBy(() -> method(pass).readArguments(idForStub))
        .isInstanceOf(UnreadableValueException.class)
        .hasMessageContaining("argument 3 of pass(")
        .hasMessageContaining("is a dev.holdfast.ObjectId, declared as");
    assertThatThrownBy(
            () ->
                method(pass)
                    .readArguments(
                        List.of(new Value.Null(), new Value.Namespace("x"), new Value.Null())))
        .hasMessage("no such namespace");
  }

  @Test
  void valuesOfAnotherTypeOrNumberAreRefused() {
    RemoteMethod add = method("add(java.lang.String,int)");
    Value text = new Value.Cloned(StructuredClone.standard().encode("x"));

    assertThatThrownBy(() -> add.readArguments(List.of(text)))
        .hasMessage("add(java.lang.String,int) has 2 parameters, got 1");
    assertThatThrownBy(() -> add.readArguments(List.of(text, text)))
        .isInstanceOf(UnreadableValueException.class)
        .hasMessageContaining("argument 2 of add(");
    assertThatThrownBy(() -> add.readArguments(List.of(text, new Value.Null())))
        .hasMessageContaining("is null, declared as int");
    assertThatThrownBy(
            () -> add.readArguments(List.of(text, new Value.Cloned(new byte[] {1, 2, 3}))))
        .isInstanceOf(UnreadableValueException.class);
  }

  @Test
  void valueThatCannotBeWrittenNamesItsPlace() {
    assertThatThrownBy(
            () ->
                method("thread(java.lang.Object)")
                    .writeArguments(ID, new Object[] {Thread.currentThread()}))
        .isInstanceOf(UncopyableValueException.class)
        .hasMessageContaining("argument 1:");
    assertThatThrownBy(
            () -> method("thread(java.lang.Object)").writeResult(ID, Thread.currentThread()))
        .isInstanceOf(UncopyableValueException.class)
        .hasMessageContaining("result:");
  }

  @Test
  void methodsAreFoundByTextAndByMethod() throws Exception {
    assertThat(cart.method("add(java.lang.String)")).isEmpty();
    assertThat(cart.method("ofNoObject()")).isEqualTo(Optional.empty());
    assertThat(cart.method("twice(int)")).isPresent();
    assertThat(cart.method(Cart.class.getMethod("twice", int.class)).text())
        .isEqualTo("twice(int)");
    assertThat(method("last()").method().getReturnType()).isEqualTo(String.class);
    assertThatThrownBy(() -> cart.method(Duration.class.getMethod("toNanos")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
