package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class WriteTest {

  private static final StructuredClone CLONE = StructuredClone.standard();

  private record Point(int x, @Nullable Object y) {}

  private record Umlaut(int größe, int ሴ) {}

  private static String hex(@Nullable Object value) {
    return HexFormat.of().formatHex(CLONE.encode(value));
  }

  @ParameterizedTest
  @CsvSource({
    "1073741823, 49feffffff07",
    "1073741824, 4e000000000000d041",
    "9007199254740992, 4e0000000000004043",
    "-9007199254740992, 4e00000000000040c3",
    "9007199254740993, 5a100100000000002000",
    "-9223372036854775808, 5a110000000000000080"
  })
  void longIsSmallIntegerThenDoubleThenBigInt(long value, String expected) {
    assertThat(hex(value)).isEqualTo("ff0f" + expected);
    assertThat(CLONE.decode(CLONE.encode(value), Long.class)).isEqualTo(value);
  }

  @Test
  void doubleIsAlwaysDouble() {
    assertThat(hex(1.0)).isEqualTo("ff0f4e000000000000f03f");
    assertThat(CLONE.decode(CLONE.encode(1.0))).isEqualTo(1.0);
    assertThat(hex(1.5f)).isEqualTo(hex(1.5));
  }

  @Test
  void recordIsAnObjectOfItsComponents() {
    assertThat(hex(new Point(1, null))).isEqualTo("ff0f6f220178490222017930" + "7b02");
    assertThat(CLONE.decode(CLONE.encode(new Umlaut(1, 2))))
        .isEqualTo(Map.of("größe", 1L, "ሴ", 2L));
    assertThat(CLONE.decode(CLONE.encode(new Umlaut(1, 2)), Umlaut.class))
        .isEqualTo(new Umlaut(1, 2));
  }

  static Stream<List<Object>> arraysOfDoubles() {
    return Stream.of(
        List.of(1L, 2.5, 3),
        List.of(1, 1L << 40),
        Arrays.asList((short) 1, 1.5f),
        List.of(-0.0),
        new ArrayDeque<Object>(List.of(1L, 2.5)).stream().toList());
  }

  @ParameterizedTest
  @MethodSource("arraysOfDoubles")
  void arrayOfNumbersIsAllDoublesIfOneIs(List<Object> numbers) {
    List<Double> doubles = numbers.stream().map(n -> ((Number) n).doubleValue()).toList();
    assertThat(hex(numbers)).isEqualTo(hex(doubles));
  }

  @Test
  void arrayWithAnythingElseKeepsItsIntegers() {
    assertThat(hex(List.of(1.5, "a", 2))).endsWith("49042400" + "03");
    assertThat(hex(List.of(1, 1L << 60))).startsWith("ff0f410249025a");
  }

  @Test
  void longsReadBackWithoutTypeAreLongsEvenBesideLargeOnes() {
    assertThat(CLONE.decode(CLONE.encode(List.of(1L, 1L << 40)))).isEqualTo(List.of(1L, 1L << 40));
    assertThat(CLONE.decode(CLONE.encode(List.of(1.0, 2.0)))).isEqualTo(List.of(1.0, 2.0));
    assertThat(CLONE.decode(CLONE.encode(List.of(1.5, 0x1p40)))).isEqualTo(List.of(1.5, 0x1p40));
    assertThat(CLONE.decode(CLONE.encode(List.of(-0.0, 0x1p40)))).isEqualTo(List.of(-0.0, 0x1p40));
  }

  @Test
  void emptyImmutableCollectionIsNeverShared() {
    List<?> read = CLONE.decode(CLONE.encode(List.of(List.of(), List.of())), List.class);
    assertThat(read.get(0)).isNotSameAs(read.get(1));
    assertThat(hex(List.of(Set.of(), Set.of(), Map.of(), Map.of()))).doesNotContain("5e0");
  }

  /** The JDK has one instance of this time: two of them are not one Date. */
  @Test
  void datesOfTheBeginningOf1970AreNeverShared() {
    byte[] bytes = CLONE.encode(new Object[] {Instant.ofEpochMilli(0), Instant.ofEpochMilli(0)});

    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo("ff0f4102" + "440000000000000000" + "440000000000000000" + "240002");
    assertThat(CLONE.encode(CLONE.decode(bytes))).isEqualTo(bytes);
  }

  @Test
  void objectsWrittenTwiceAreReferencesHoweverMany() {
    List<Object> list = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      list.add(new ArrayList<>());
    }
    list.addAll(List.copyOf(list));
    List<?> read = (List<?>) CLONE.decode(CLONE.encode(list));
    for (int i = 0; i < 1000; i++) {
      assertThat(read.get(1000 + i)).isSameAs(read.get(i));
    }
  }

  @Test
  void mapKeepsItsOrderAndAnyKeys() {
    Map<Object, Object> map = new LinkedHashMap<>();
    map.put("b", 1L);
    map.put(2L, "two");
    map.put(null, true);
    map.put(List.of("key"), 2.5);
    JsMap read = (JsMap) CLONE.decode(CLONE.encode(map));
    assertThat(new ArrayList<>(read.values())).containsExactly(1L, "two", true, 2.5);
    assertThat(read.get(2)).isEqualTo("two");
    assertThat(read.get(null)).isEqualTo(true);
  }

  @Test
  void instantIsCutToTheMillisecondTowardsThePast() {
    for (Instant finer : FINER) {
      Instant cut = finer.truncatedTo(ChronoUnit.MILLIS);
      assertThat(cut).isBefore(finer);
      assertThat(CLONE.decode(CLONE.encode(List.of(finer)))).isEqualTo(List.of(cut));
      JsMap read = (JsMap) CLONE.decode(CLONE.encode(Map.of(finer, 1L)));
      assertThat(new ArrayList<>(read.keySet())).containsExactly(cut);
    }
  }

  @Test
  void copyOfAnInstantIsCutTheSameWay() {
    for (Instant finer : FINER) {
      Instant cut = finer.truncatedTo(ChronoUnit.MILLIS);
      assertThat(CLONE.copy(finer)).isEqualTo(cut);
      assertThat(CLONE.copy(new Span(finer, Optional.of(finer))))
          .isEqualTo(new Span(cut, Optional.of(cut)));
      assertThat(CLONE.copy(List.of(finer))).isEqualTo(List.of(cut));
      assertThat(CLONE.copy(Set.of(finer))).isEqualTo(Set.of(cut));
      assertThat(CLONE.copy(Map.of(finer, finer))).isEqualTo(Map.of(cut, cut));
      assertThat(CLONE.copy(new Instant[] {finer})).containsExactly(cut);
      Span whole = new Span(cut, Optional.of(cut));
      assertThat(CLONE.copy(whole)).isSameAs(whole);
    }
  }

  @Test
  void timesThatBecomeEqualAreRefusedAsElementsAndKeys() {
    Instant first = Instant.ofEpochSecond(1, 1);
    Instant second = Instant.ofEpochSecond(1, 2);
    for (Object value :
        List.of(
            Set.of(first, second),
            new LinkedHashSet<>(List.of(first, second)),
            Map.of(first, 1, second, 2),
            new LinkedHashMap<>(Map.of(first, 1, second, 2)))) {
      assertThatThrownBy(() -> CLONE.copy(List.of(value)))
          .isInstanceOf(CloneException.class)
          .hasMessageStartingWith("$[0]")
          .hasMessageContaining("equal");
    }
  }

  private record Span(Instant from, Optional<Instant> to) {}

  private static final List<Instant> FINER =
      List.of(
          Instant.ofEpochSecond(1, 1),
          Instant.ofEpochSecond(1, 999_999),
          Instant.ofEpochSecond(-1, 999_999_999),
          Instant.ofEpochSecond(-2, 1));

  @Test
  void dateBeyondTheRangeIsRefused() {
    Instant last = Instant.ofEpochMilli(8_640_000_000_000_000L);
    assertThat(CLONE.decode(CLONE.encode(last))).isEqualTo(last);
    assertThatThrownBy(() -> CLONE.encode(last.plusMillis(1)))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("beyond the range");
    assertThatThrownBy(() -> CLONE.encode(Instant.MIN)).isInstanceOf(CloneException.class);
  }

  /** Otherwise a call would succeed on one machine and fail between two. */
  @SuppressWarnings("JavaUtilDate")
  @Test
  void dateBeyondTheRangeIsRefusedByCopies() {
    Instant last = Instant.ofEpochMilli(8_640_000_000_000_000L);
    assertThat(CLONE.copy(List.of(last))).isEqualTo(List.of(last));
    for (Object late : List.of(last.plusMillis(1), new Date(last.toEpochMilli() + 1))) {
      assertThatThrownBy(() -> CLONE.copy(List.of(late)))
          .isInstanceOf(CloneException.class)
          .hasMessageContaining("beyond the range");
    }
  }

  @Test
  void unsupportedClassIsRefusedWithItsPath() {
    JsObject owner = new JsObject();
    owner.put("first name", new AtomicInteger());
    Map<String, Object> value = Map.of("items", List.of(0, new Point(1, owner)));
    assertThatThrownBy(() -> CLONE.encode(value))
        .isInstanceOfSatisfying(
            CloneException.class,
            e -> {
              assertThat(e.path()).isEqualTo("$[\"items\"][1].y[\"first name\"]");
              assertThat(e.offendingClass()).isEqualTo(AtomicInteger.class);
            });
  }

  @Test
  void unsupportedKeyIsRefusedWithItsPath() {
    assertThatThrownBy(() -> CLONE.encode(Map.of(new AtomicInteger(), 1)))
        .hasMessageStartingWith("$.keys(): java.util.concurrent");
  }

  private static Object nested(int levels) {
    Object value = "core";
    for (int i = 0; i < levels; i++) {
      value = i % 2 == 0 ? new ArrayList<>(Arrays.asList(value)) : new JsObject(Map.of("a", value));
    }
    return value;
  }

  /** How much stack a level takes depends on what was compiled until then. */
  private static void onALargeStack(Runnable test) throws Exception {
    FutureTask<Void> task = new FutureTask<>(test, null);
    new Thread(null, task, "deep", 8L << 20).start();
    task.get();
  }

  @Test
  void valueIsNestedUpToTheLimit() throws Exception {
    onALargeStack(
        () -> {
          byte[] bytes = CLONE.encode(nested(StructuredClone.DEPTH_MAX));
          assertThat(CLONE.encode(CLONE.decode(bytes))).isEqualTo(bytes);
          assertThat(CLONE.encode(CLONE.copy(nested(StructuredClone.DEPTH_MAX)))).isEqualTo(bytes);
        });
  }

  @Test
  void valueBeyondTheLimitIsRefused() throws Exception {
    Object value = nested(StructuredClone.DEPTH_MAX + 1);
    onALargeStack(
        () -> {
          assertThatThrownBy(() -> CLONE.encode(value))
              .isInstanceOf(CloneException.class)
              .hasMessageContaining("nested more than 1024 deep")
              .message()
              .hasSizeLessThan(300);
          assertThatThrownBy(() -> CLONE.copy(value)).isInstanceOf(CloneException.class);
        });
  }

  @Test
  void cycleThroughAnImmutableListEndsAtTheLimit() {
    Object[] array = {null};
    array[0] = List.of((Object) array);
    Object[] copy = CLONE.copy(array);
    assertThat(((List<?>) copy[0]).get(0)).isSameAs(copy);
    assertThat(hex(array)).isEqualTo("ff0f4101" + "4101" + "5e00" + "240001240001");
  }
}
