package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.JsObject;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.value.Ignored;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records as values; public, as the codec asks of records in a module. */
public final class StoredRecordsTest {

  private final Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  public interface Shape {}

  public record Circle(double radius) implements Shape {}

  public record Drawing(String title, Shape shape) {}

  public record Box<T>(T content) {}

  public record OldItem(String name, long count) {}

  @Ignored({"colour", "size", "tags", "prices"})
  public record SmallItem(String name, long count) {}

  public record NewItem(String name, @Nullable Long number) {}

  public record LargerItem(
      String name,
      long count,
      @Nullable String colour,
      Optional<String> size,
      List<String> tags,
      Map<String, Long> prices) {}

  StoredRecordsTest() {}

  private void use(Consumer<ObjectStorage> use) throws Exception {
    host.call(
        "a",
        (_, context) -> {
          use.accept(context.storage());
          return null;
        });
  }

  @Test
  void valueThatCouldNeverBeReadIsRefusedByPut() throws Exception {
    use(
        storage -> {
          Drawing drawing = new Drawing("x", new Circle(1));
          assertThatThrownBy(() -> storage.put("key", drawing))
              .isInstanceOf(UncopyableValueException.class)
              .hasMessageContaining("The value for key \"key\" cannot be stored: $.shape: ");
          assertThatThrownBy(() -> storage.put(Map.of("a", 1, "b", List.of(drawing))))
              .isInstanceOf(UncopyableValueException.class)
              .hasMessageContaining("The value for key \"b\" cannot be stored: $[0].shape: ");
          assertThat(storage.list(Object.class)).isEmpty();
        });
  }

  @Test
  void valuesAreReadAsTypesWithArguments() throws Exception {
    List<OldItem> items = List.of(new OldItem("nut", 3), new OldItem("bolt", 1));
    TypeRef<List<OldItem>> type = new TypeRef<>() {};
    use(
        storage -> {
          storage.put("items", items);
          assertThat(storage.get("items", type)).hasValue(items);
          assertThat(storage.get("none", type)).isEmpty();
          assertThat(storage.get(List.of("items", "none"), type, ReadOptions.DEFAULT))
              .isEqualTo(Map.of("items", items));
          assertThat(storage.list(ListOptions.ALL, type)).isEqualTo(Map.of("items", items));
          try (var pairs = storage.stream(ListOptions.ALL, type)) {
            assertThat(pairs).containsExactly(Map.entry("items", items));
          }
          storage.put("box", new Box<>(new OldItem("nut", 3)));
          assertThat(storage.get("box", new TypeRef<Box<OldItem>>() {}))
              .hasValue(new Box<>(new OldItem("nut", 3)));
          assertThatThrownBy(() -> storage.get("items", new TypeRef<List<Long>>() {}))
              .isInstanceOf(UncopyableValueException.class)
              .hasMessageContaining("cannot be read as java.util.List<java.lang.Long>: $[0]: ");
        });
  }

  /** Read with the class alone, which is all that a reader can name. */
  @Test
  void genericRecordComesBackWithItsContentUntyped() throws Exception {
    use(
        storage -> {
          storage.put("text", new Box<>("x"));
          assertThat(storage.get("text", Box.class)).contains(new Box<>("x"));
          storage.put("item", new Box<>(new OldItem("nut", 3)));
          assertThat(storage.get("item", Box.class).orElseThrow().content())
              .isEqualTo(new JsObject(Map.of("name", "nut", "count", 3L)));
        });
  }

  @Test
  void renamedComponentIsRefusedWithTheKeyAndBothNames() throws Exception {
    use(
        storage -> {
          storage.put("item", new OldItem("nut", 3));
          assertThatThrownBy(() -> storage.get("item", NewItem.class))
              .isInstanceOf(UncopyableValueException.class)
              .hasMessageContaining("The value of key \"item\" cannot be read as ")
              .hasMessageContaining("lacks .number of record ")
              .hasMessageContaining("has .count, which it lacks");
        });
  }

  @Test
  void newComponentsAreNullOrEmptyAndUnknownOnesAreRefused() throws Exception {
    use(
        storage -> {
          storage.put("item", new OldItem("nut", 3));
          LargerItem larger = new LargerItem("nut", 3, null, Optional.empty(), List.of(), Map.of());
          assertThat(storage.get("item", LargerItem.class)).hasValue(larger);
          storage.put("larger", larger);
          assertThatThrownBy(() -> storage.get("larger", OldItem.class))
              .isInstanceOf(UncopyableValueException.class)
              .hasMessageContaining("the value has .colour, .size, .tags, which record ")
              .hasMessageContaining("@Ignored");
          assertThat(storage.get("larger", SmallItem.class)).hasValue(new SmallItem("nut", 3));
        });
  }
}
