package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class CopyTest {

  private record Point(int x, int y) {}

  private record Order(String id, Point at, List<String> lines) {}

  private record Chain(List<Object> links) {}

  private static final StructuredClone CLONE = StructuredClone.standard();

  static List<Object> immutableValues() {
    return List.of(
        "text",
        1L,
        2.5,
        'c',
        DayOfWeek.MONDAY,
        Instant.EPOCH,
        BigDecimal.TEN,
        new UUID(1, 2),
        new Point(1, 2),
        List.of(new Point(1, 2), "x"),
        Set.of("a", "b"),
        Map.of("k", List.of(1)),
        new Order("1", new Point(1, 2), List.of("a")),
        Optional.of("x"),
        Arrays.asList("a", null).stream().toList());
  }

  @ParameterizedTest
  @MethodSource("immutableValues")
  void valueThatCannotChangeIsItsOwnCopy(Object value) {
    assertThat(CLONE.copy(value)).isSameAs(value);
  }

  @Test
  void nullIsItsOwnCopy() {
    assertThat(CLONE.<Object>copy(null)).isNull();
  }

  @Test
  void listIsCopiedWithWhatCanChangeInIt() {
    List<Object> inner = new ArrayList<>(List.of("a"));
    List<Object> list = new ArrayList<>(Arrays.asList(inner, "b", null));
    List<Object> copy = CLONE.copy(list);
    assertThat(copy).isEqualTo(list).isNotSameAs(list).isInstanceOf(ArrayList.class);
    assertThat(copy.get(0)).isNotSameAs(inner);
  }

  @Test
  void recordWithSomethingMutableIsRebuilt() {
    Order order = new Order("1", new Point(1, 2), new ArrayList<>(List.of("a")));
    Order copy = CLONE.copy(order);
    order.lines().add("b");
    assertThat(copy).isEqualTo(new Order("1", new Point(1, 2), List.of("a")));
    assertThat(copy.at()).isSameAs(order.at());
  }

  @Test
  void mapKeepsItsClassOrderAndSorting() {
    Map<String, byte[]> linked = new LinkedHashMap<>();
    linked.put("z", new byte[] {1});
    linked.put("a", new byte[] {2});
    TreeMap<String, Integer> sorted = new TreeMap<>(Comparator.reverseOrder());
    sorted.putAll(Map.of("a", 1, "b", 2));
    assertThat(CLONE.copy(linked).keySet()).containsExactly("z", "a");
    assertThat(CLONE.copy(linked).get("z")).isEqualTo(new byte[] {1}).isNotSameAs(linked.get("z"));
    assertThat(CLONE.copy(sorted).keySet()).containsExactly("b", "a");
    assertThat(CLONE.copy(new HashMap<>(sorted))).isExactlyInstanceOf(HashMap.class);
  }

  @Test
  void arraysAreCopied() {
    int[] ints = {1, 2};
    String[] strings = {"a"};
    Object[][] nested = {{new byte[] {1}}};
    assertThat(CLONE.copy(ints)).isEqualTo(ints).isNotSameAs(ints);
    assertThat(CLONE.copy(strings)).isEqualTo(strings).isNotSameAs(strings);
    assertThat(CLONE.copy(nested)[0][0]).isEqualTo(nested[0][0]).isNotSameAs(nested[0][0]);
  }

  @Test
  void sharedObjectsStayShared() {
    List<Object> shared = new ArrayList<>();
    List<List<Object>> copy = CLONE.copy(new ArrayList<>(List.of(shared, shared)));
    assertThat(copy.get(0)).isSameAs(copy.get(1)).isNotSameAs(shared);
  }

  @Test
  void cycleStaysClosed() {
    List<Object> list = new ArrayList<>();
    list.add(list);
    List<Object> copy = CLONE.copy(list);
    assertThat(copy.get(0)).isSameAs(copy).isNotSameAs(list);
  }

  @Test
  void cycleThroughRecordStaysClosed() {
    Chain chain = new Chain(new ArrayList<>());
    chain.links().add(chain);
    Chain copy = CLONE.copy(chain);
    assertThat(copy.links().get(0)).isSameAs(copy);
    assertThat(copy.links()).isNotSameAs(chain.links());
  }

  @Test
  void immutableListWithSomethingMutableIsRebuilt() {
    List<List<String>> list = List.of(new ArrayList<>(List.of("a")));
    List<List<String>> copy = CLONE.copy(list);
    list.get(0).add("b");
    assertThat(copy).isEqualTo(List.of(List.of("a")));
    assertThatThrownBy(() -> copy.add(List.of())).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void listsThatShareListsAreCopiedOnce() {
    List<Object> list = List.of("core");
    for (int i = 0; i < 100; i++) {
      list = List.of(list, list);
    }
    assertThat(CLONE.copy(list)).isSameAs(list);
    List<Object> mutable = new ArrayList<>(list);
    assertThat(CLONE.copy(List.of(mutable, list)).get(1)).isSameAs(list);
    assertThat(CLONE.encode(list)).hasSizeLessThan(1000);
  }

  @Test
  void unmodifiableViewStaysUnmodifiable() {
    List<Object> list = new ArrayList<>(List.of("a"));
    List<Object> view = Collections.unmodifiableList(list);
    list.add(view);
    List<Object> copy = CLONE.copy(view);
    list.add("b");
    assertThat(copy).hasSize(2);
    assertThat(copy.get(1)).isSameAs(copy);
    assertThatThrownBy(copy::clear).isInstanceOf(UnsupportedOperationException.class);
    Map<String, byte[]> map = CLONE.copy(Collections.unmodifiableMap(new HashMap<>()));
    assertThatThrownBy(() -> map.put("k", new byte[0]))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void copyOfAnImmutableCollectionIsOneAgain() {
    List<Order> orders = List.of(new Order("1", new Point(1, 2), new ArrayList<>()));
    assertThat(CLONE.copy(orders).getClass()).isEqualTo(orders.getClass());
    assertThat(CLONE.copy(Map.of("k", orders)).getClass()).isEqualTo(Map.of("k", "v").getClass());
  }

  @Test
  void classThatCannotBeCopiedIsRefusedWithItsPath() {
    Map<String, Object> value =
        Map.of("items", List.of(1, new Chain(List.of(new AtomicInteger()))));
    assertThatThrownBy(() -> CLONE.copy(value))
        .isInstanceOfSatisfying(
            CloneException.class,
            e -> {
              assertThat(e.path()).isEqualTo("$[\"items\"][1].links[0]");
              assertThat(e.offendingClass()).isEqualTo(AtomicInteger.class);
            })
        .hasMessageStartingWith("$[\"items\"][1].links[0]: java.util.concurrent.atomic");
  }

  /** Keys that are equal but not identical would be one key in another kind of map. */
  @Test
  void copyOfAnIdentityMapKeepsItsEntries() {
    Map<Object, Object> map = new IdentityHashMap<>();
    map.put(new StringBuilder("a").toString(), List.of(1L));
    map.put(new StringBuilder("a").toString(), List.of(2L));

    assertThat(StructuredClone.standard().copy(map)).isInstanceOf(IdentityHashMap.class).hasSize(2);
  }
}
