package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A value has the same classes where it is copied as where it is written and read. */
class PassedTypeTest {

  record Item(String name, int count) {}

  record Holder(Object any, List<?> more, Map<String, Object> map, Number number) {}

  sealed interface Payment {
    record Cash(long cents) implements Payment {}

    record Lines(List<Item> items) implements Payment {}
  }

  enum Color {
    RED,
    GREEN {}
  }

  interface Base<T, E extends Comparable<E>> {
    T keep(T value);

    List<? extends T> all(Map<E, T> values);
  }

  @SuppressWarnings("unused") // read by reflection
  interface Types extends Base<Item, String> {
    Object object(Object any);

    Number number(Number number);

    List<Object> objects(List<Object> objects);

    List<Item> items(List<Item> items);

    List<Instant> times(List<Instant> times);

    Collection<String> collection(Collection<String> strings);

    Iterable<String> iterable(Iterable<String> strings);

    Set<String> set(Set<String> strings);

    Queue<Integer> queue(Queue<Integer> numbers);

    Map<String, Object> map(Map<String, Object> map);

    Map<String, Item> typed(Map<String, Item> map);

    Holder holder(Holder holder);

    Payment payment(Payment payment);

    Payment[] payments(Payment[] payments);

    Item[] array(Item[] items);

    Optional<Object> optional(Optional<Object> content);

    Optional<List<Item>> optionalItems(Optional<List<Item>> content);

    JsObject js(JsObject object);

    Item one(Item item);

    Color color(Color color);

    @Override
    Item keep(Item value);
  }

  private static PassedType type(String method) {
    Method found =
        Arrays.stream(Types.class.getMethods())
            .filter(each -> each.getName().equals(method))
            .findFirst()
            .orElseThrow();
    Method said = PassedType.declarationOf(found, Types.class);
    return StructuredClone.standard()
        .passed(said.getGenericReturnType(), said.getDeclaringClass(), Types.class);
  }

  private static final List<Object> VALUES =
      new ArrayList<>(
          List.of(
              1,
              1L,
              Long.MAX_VALUE,
              1L << 40,
              (short) 1,
              (byte) 1,
              1.5,
              1e12,
              -0.0,
              5.0,
              1.5f,
              'c',
              "text",
              true,
              BigInteger.TWO,
              new BigDecimal("1.50"),
              UUID.fromString("00000000-0000-0000-0000-000000000001"),
              URI.create("a:b"),
              Duration.ofSeconds(5),
              LocalDate.of(2026, 1, 2),
              ZoneId.of("Europe/Berlin"),
              ZoneId.of("Z"),
              Locale.GERMANY,
              Instant.ofEpochSecond(5, 999_999),
              new Date(5),
              new int[] {1, 2},
              new byte[] {1, 2},
              new double[] {1, 2}));

  static {
    VALUES.addAll(
        List.of(
            List.of(1, 2.0, "x"),
            new LinkedList<>(List.of(1L << 40, 2)),
            Collections.unmodifiableList(new ArrayList<>(List.of(1))),
            Set.of(1),
            new TreeSet<>(Set.of("a", "b")),
            Map.of("a", 1),
            new TreeMap<>(Map.of("a", List.of(1, 'c'), "b", Map.of(1, (short) 2))),
            new Item("nut", 3),
            List.of(new Item("nut", 3)),
            new Object[] {1, "x"},
            Optional.of(1),
            Optional.empty(),
            List.of(List.of(Optional.of(UUID.fromString("00000000-0000-0000-0000-00000000000a")))),
            Color.GREEN,
            new JsObject(),
            new Payment.Cash(5),
            new Holder(1, List.of('c'), Map.of("a", 1.5f), (byte) 1)));
  }

  private static Object passed(String method, Object value) {
    PassedType type = type(method);
    Object copy = type.copy(value);
    Object read = type.read(type.write(value));
    assertThat(classes(copy)).as("%s of %s", method, value).isEqualTo(classes(read));
    assertThat(copy)
        .as("%s of %s", method, value)
        .isNotNull()
        .usingRecursiveComparison()
        .isEqualTo(read);
    return copy;
  }

  /** The classes of a value and of what it contains. */
  private static Object classes(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Map<?, ?> map ->
          List.of(
              map.getClass(),
              map.entrySet().stream()
                  .map(each -> List.of(classes(each.getKey()), classes(each.getValue())))
                  .toList());
      case Collection<?> all ->
          List.of(all.getClass(), all.stream().map(PassedTypeTest::classes).toList());
      case Object[] array ->
          List.of(array.getClass(), Stream.of(array).map(PassedTypeTest::classes).toList());
      case Optional<?> optional -> List.of("optional", classes(optional.orElse(null)));
      case Holder holder ->
          List.of(
              classes(holder.any()),
              classes(holder.more()),
              classes(holder.map()),
              classes(holder.number()));
      case Payment.Lines lines -> classes(lines.items());
      default -> value.getClass();
    };
  }

  @Test
  void untypedValueHasTheSameClassesWhereverItArrives() {
    for (Object value : VALUES) {
      passed("object", value);
      passed("objects", List.of(value, value));
      passed("map", Map.of("a", value));
      if (!(value instanceof Optional<?>)) {
        passed("optional", Optional.of(value));
      }
      passed("holder", new Holder(value, List.of(value), Map.of("a", value), 1));
    }
  }

  @Test
  void classesOfTheMappingAreKeptWhereTheDeclaredTypeDoesNotSayThem() {
    assertThat(passed("object", 1)).isEqualTo(1);
    assertThat(passed("number", (short) 1)).isEqualTo((short) 1);
    assertThat(passed("number", 1e12)).isEqualTo(1e12);
    assertThat(passed("number", Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    UUID id = UUID.fromString("00000000-0000-0000-0000-000000000001");
    assertThat(passed("map", Map.of("id", id, "count", 1, "many", List.of(1, 'c'))))
        .isEqualTo(Map.of("id", id, "count", 1, "many", List.of(1, 'c')));
    assertThat(passed("optional", Optional.of(1))).isEqualTo(Optional.of(1));
    assertThat(passed("object", List.of(Optional.of(1), Optional.empty())))
        .isEqualTo(List.of(Optional.of(1), Optional.empty()));
    assertThat(passed("object", Map.of(1, 2))).isInstanceOf(LinkedHashMap.class);
    assertThat(passed("object", new JsArray(List.of("x")))).isInstanceOf(JsArray.class);
    assertThat(passed("object", new JsMap())).isInstanceOf(JsMap.class);
  }

  @Test
  void recordThatNoTypeDeclaresIsAnObjectEverywhere() {
    assertThat(passed("object", new Item("nut", 3))).isInstanceOf(JsObject.class);
    assertThat(passed("object", Color.RED)).isEqualTo("RED");
  }

  @Test
  void collectionIsTheOneThatItsDeclaredTypeIsReadAs() {
    List<Item> items = List.of(new Item("nut", 3));
    assertThat(passed("items", new LinkedList<>(items))).isInstanceOf(ArrayList.class);
    assertThat(passed("items", items)).isInstanceOf(ArrayList.class).isNotSameAs(items);
    assertThat(passed("times", List.of(Instant.EPOCH))).isInstanceOf(ArrayList.class);
    assertThat(passed("collection", Set.of("x"))).isInstanceOf(ArrayList.class);
    assertThat(passed("iterable", Set.of("x"))).isInstanceOf(ArrayList.class);
    assertThat(passed("set", new TreeSet<>(Set.of("x")))).isInstanceOf(LinkedHashSet.class);
    assertThat(passed("queue", new PriorityQueue<>(List.of(2, 1)))).isInstanceOf(ArrayDeque.class);
    assertThat(passed("typed", new HashMap<>(Map.of("a", items.getFirst()))))
        .isInstanceOf(LinkedHashMap.class);
    assertThat(passed("optionalItems", Optional.of(items))).isEqualTo(Optional.of(items));
  }

  @Test
  void valueThatCannotChangeIsPassedAsItIs() {
    Item item = new Item("nut", 3);
    assertThat(passed("one", item)).isSameAs(item);
    assertThat(passed("color", Color.GREEN)).isSameAs(Color.GREEN);
    Payment cash = new Payment.Cash(1);
    passed("payment", cash);
    passed("payment", new Payment.Lines(new LinkedList<>(List.of(item))));
    passed("payments", new Payment.Cash[] {new Payment.Cash(1)});
    passed("array", new Item[] {item});
    passed("js", new JsObject());
  }

  @Test
  void variablesOfAnInheritedMethodAreThoseOfTheInterface() {
    assertThat(type("keep").type()).isEqualTo(JavaType.of(Item.class));
    assertThat(type("all").type().getTypeName())
        .isEqualTo("java.util.List<dev.holdfast.clone.codec.PassedTypeTest$Item>");
    assertThat(passed("keep", new Item("nut", 3))).isEqualTo(new Item("nut", 3));
    passed("all", List.of(new Item("nut", 3)));
  }

  @Test
  void marksAreReadInPassedValuesOnly() {
    byte[] marked = type("object").write(1);
    assertThatThrownBy(() -> StructuredClone.standard().decode(marked))
        .isInstanceOf(dev.holdfast.clone.CloneFormatException.class);
    byte[] unknown = marked.clone();
    unknown[3] = 0x7f;
    assertThatThrownBy(() -> type("object").read(unknown))
        .isInstanceOf(dev.holdfast.clone.CloneFormatException.class)
        .hasMessageContaining("mark 127");
    byte[] other = marked.clone();
    other[3] = 1;
    assertThatThrownBy(() -> type("object").read(other)).isInstanceOf(CloneException.class);
  }
}
