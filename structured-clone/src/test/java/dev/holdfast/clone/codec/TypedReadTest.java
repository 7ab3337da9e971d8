package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsSet;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsView;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.value.Alias;
import dev.holdfast.value.Default;
import dev.holdfast.value.Ignored;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TypedReadTest {

  private static final StructuredClone CLONE = StructuredClone.standard();

  private record Item(String name, int count, @Nullable Instant at) {}

  private record Basket(String owner, List<Item> items, Map<String, Item> byName) {}

  private record Wrapper<T>(T value, List<T> more) {}

  private record Tree(String label, List<Tree> children) {}

  private record Holder(Wrapper<Item> wrapped) {}

  private record Schedule(DayOfWeek day, LocalDate date, Duration length, ZoneId zone, UUID id) {}

  private record Kinds(
      byte b, short s, long l, float f, double d, char c, boolean z, BigInteger i, BigDecimal m) {}

  private record Positive(int value) {
    private Positive {
      if (value <= 0) {
        throw new IllegalArgumentException("not positive: " + value);
      }
    }
  }

  private record Empty() {}

  private record Loose(@Nullable Object first, @Nullable Object second) {}

  private interface Shape {}

  private record Circle(double radius) implements Shape {}

  private record Drawing(Shape shape) {}

  private record Figure<T extends Shape>(T shape) {}

  private record Bounded<T extends Item>(T value, List<T> more) {}

  private record Gallery(List<Item> items, SortedMap<String, List<Drawing>> byName) {
    private Gallery(List<Item> items, Map<String, List<Drawing>> byName) {
      this(items, new TreeMap<>(byName));
    }
  }

  private record Profile(String name, Optional<List<Item>> items) {}

  private record Kept(
      SortedMap<String, Item> names,
      Set<DayOfWeek> days,
      Deque<Item> queue,
      Item @Nullable [] array) {}

  private record Twice(Optional<Optional<String>> content) {}

  @SuppressWarnings("rawtypes")
  private record Raw(@Nullable Wrapper wrapper) {}

  private record Growing<T>(T value, @Nullable Growing<List<T>> more) {}

  private record Grown(Growing<String> first) {}

  /** Types with arguments, as Java keeps them. */
  private record Types(
      List<Long> longs,
      Set<String> names,
      Set<List<Object>> lists,
      SortedMap<String, List<Double>> sorted,
      Map<Long, String> byNumber,
      Map<DayOfWeek, Integer> byDay,
      Wrapper<String> wrapper,
      Deque<String> deque,
      List<String>[] listArray) {}

  private static Type type(String name) {
    for (RecordComponent component : Types.class.getRecordComponents()) {
      if (component.getName().equals(name)) {
        return component.getGenericType();
      }
    }
    throw new IllegalArgumentException(name);
  }

  private static <T> @Nullable T roundTrip(T value, Class<T> type) {
    return CLONE.decode(CLONE.encode(value), type);
  }

  private static @Nullable Object read(Object value, Type type) {
    return CLONE.decode(CLONE.encode(value), type);
  }

  private static void assertRefused(ThrowingCallable call, String path, String reason) {
    assertThatThrownBy(call)
        .isInstanceOf(CloneException.class)
        .hasMessageStartingWith(path + ": ")
        .hasMessageContaining(reason);
  }

  @Test
  void recordIsReadWithAllItsParts() {
    Item item = new Item("nut", 3, Instant.ofEpochMilli(1_700_000_000_123L));
    Map<String, Item> byName = new LinkedHashMap<>();
    byName.put("z", item);
    byName.put("a", new Item("bolt", -1, null));
    Basket basket = new Basket("Ann", List.of(item, new Item("bolt", -1, null)), byName);
    Basket read = roundTrip(basket, Basket.class);
    assertThat(read).isEqualTo(basket);
    assertThat(read.byName().keySet()).containsExactly("z", "a");
  }

  @Test
  void sharedRecordStaysShared() {
    Item item = new Item("nut", 3, null);
    Basket read = roundTrip(new Basket("Ann", List.of(item), Map.of("k", item)), Basket.class);
    assertThat(read.items().get(0)).isSameAs(read.byName().get("k"));
  }

  @Test
  void recordThatContainsItsOwnTypeIsRead() {
    Tree tree = new Tree("root", List.of(new Tree("leaf", List.of()), new Tree("x", List.of())));
    assertThat(roundTrip(tree, Tree.class)).isEqualTo(tree);
  }

  @Test
  void typeArgumentsReachTheComponents() {
    Wrapper<Item> wrapper = new Wrapper<>(new Item("a", 1, null), List.of(new Item("b", 2, null)));
    assertThat(roundTrip(new Holder(wrapper), Holder.class)).isEqualTo(new Holder(wrapper));
    assertThat(read(new Wrapper<>("x", List.of("y")), type("wrapper")))
        .isEqualTo(new Wrapper<>("x", List.of("y")));
  }

  @Test
  void textFormsAndEnumsComeBack() {
    Schedule schedule =
        new Schedule(
            DayOfWeek.FRIDAY,
            LocalDate.of(2026, 2, 28),
            Duration.ofNanos(1),
            ZoneId.of("Europe/Berlin"),
            new UUID(5, 6));
    assertThat(roundTrip(schedule, Schedule.class)).isEqualTo(schedule);
  }

  @Test
  void everyPrimitiveComesBackExactly() {
    Kinds kinds =
        new Kinds(
            Byte.MIN_VALUE,
            Short.MAX_VALUE,
            Long.MIN_VALUE,
            Float.MIN_VALUE,
            -0.0,
            '\uD800',
            true,
            BigInteger.TWO.pow(200).negate(),
            new BigDecimal("1.10"));
    assertThat(roundTrip(kinds, Kinds.class)).isEqualTo(kinds);
  }

  @Test
  void numberThatDoesNotFitIsRefused() {
    byte[] large = CLONE.encode(1L << 40);
    byte[] fraction = CLONE.encode(1.5);
    byte[] big = CLONE.encode(BigInteger.TWO.pow(70));
    assertRefused(() -> CLONE.decode(large, Integer.class), "$", "cannot hold exactly");
    assertRefused(() -> CLONE.decode(fraction, long.class), "$", "cannot hold exactly");
    assertRefused(() -> CLONE.decode(big, Long.class), "$", "cannot hold exactly");
    assertRefused(() -> CLONE.decode(CLONE.encode(0.1), Float.class), "$", "cannot hold exactly");
    byte[] greatest = CLONE.encode(0x1p63);
    assertRefused(() -> CLONE.decode(greatest, Long.class), "$", "cannot hold exactly");
  }

  @Test
  void integersAreReadAsDoublesAndBack() {
    assertThat(CLONE.decode(CLONE.encode(7L), Double.class)).isEqualTo(7.0);
    assertThat(CLONE.decode(CLONE.encode(7.0), Long.class)).isEqualTo(7L);
    assertThat(CLONE.decode(CLONE.encode(7.0), BigInteger.class)).isEqualTo(BigInteger.valueOf(7));
    assertThat(CLONE.decode(CLONE.encode(1L << 40), Number.class)).isEqualTo(1L << 40);
  }

  @Test
  void nullAndUndefinedAreNull() {
    byte[] undefined = CLONE.encode(JsUndefined.UNDEFINED);
    assertThat(CLONE.decode(CLONE.encode(null), Item.class)).isNull();
    assertThat(CLONE.decode(undefined, String.class)).isNull();
    assertThat(CLONE.decode(undefined, JsUndefined.class)).isEqualTo(JsUndefined.UNDEFINED);
    assertRefused(() -> CLONE.decode(undefined, int.class), "$", "expected int, found undefined");
  }

  @Test
  void missingPropertyIsNull() {
    JsObject object = new JsObject(Map.of("name", "nut", "count", 1L));
    assertThat(CLONE.decode(CLONE.encode(object), Item.class)).isEqualTo(new Item("nut", 1, null));
  }

  @Test
  void missingCollectionIsEmpty() {
    byte[] bytes = CLONE.encode(new JsObject(Map.of("owner", "Ann")));
    Basket basket = CLONE.decode(bytes, Basket.class);
    assertThat(basket).isEqualTo(new Basket("Ann", List.of(), Map.of()));
    basket.items().add(new Item("nut", 1, null));
    assertThat(CLONE.decode(bytes, Basket.class).items()).as("each its own").isEmpty();

    byte[] empty = CLONE.encode(new JsObject(Map.of()));
    Kept kept = CLONE.decode(empty, Kept.class);
    assertThat(kept.names()).isInstanceOf(SortedMap.class).isEmpty();
    assertThat(kept.days()).isEmpty();
    assertThat(kept.queue()).isInstanceOf(Deque.class).isEmpty();
    assertThat(kept.array()).isNull();
    assertThat((Object) CLONE.decode(CLONE.encode(null), List.class)).isNull();
  }

  @Test
  void collectionThatIsThereAsNullStaysNull() {
    Basket basket = new Basket("Ann", null, null);
    assertThat(roundTrip(basket, Basket.class)).isEqualTo(basket);
  }

  @Test
  void unknownPropertyIsRefusedAsItWouldBeLost() {
    JsObject object = new JsObject(Map.of("name", "nut", "count", 1L, "colour", List.of("red")));
    object.put("at", null);
    assertRefused(
        () -> CLONE.decode(CLONE.encode(object), Item.class),
        "$",
        "the value has .colour, which record " + Item.class.getName() + " lacks");
  }

  @Ignored("colour")
  record Plain(String name, @Nullable String size) {}

  @Ignored
  record Named(String name) {}

  @Test
  void componentThatWasRemovedIsPassedOver() {
    byte[] stored = CLONE.encode(new JsObject(Map.of("name", "nut", "colour", List.of("red"))));
    assertThat(CLONE.decode(stored, Plain.class)).isEqualTo(new Plain("nut", null));
    assertThat(CLONE.decode(stored, Named.class)).isEqualTo(new Named("nut"));
    byte[] other = CLONE.encode(new JsObject(Map.of("name", "nut", "length", 7L)));
    assertRefused(() -> CLONE.decode(other, Plain.class), "$", "has .length, which it lacks");
    assertThat(CLONE.decode(other, Named.class)).isEqualTo(new Named("nut"));
  }

  record Grew(
      String name,
      @Default("7") int count,
      @Default("true") boolean active,
      @Default("1.5") double weight,
      @Default("FRIDAY") DayOfWeek day,
      @Default("PT5M") Duration length,
      @Default("1970-01-01T00:00:00.0019Z") Instant at,
      @Default("none") Optional<String> note,
      @Default("3") @Nullable Long number) {}

  record Badly(@Default("many") int count) {}

  record Unable(@Default("x") List<String> names) {}

  @Test
  void newComponentIsItsDefaultInOldValues() {
    Grew old =
        new Grew(
            "nut",
            7,
            true,
            1.5,
            DayOfWeek.FRIDAY,
            Duration.ofMinutes(5),
            Instant.ofEpochMilli(1),
            Optional.of("none"),
            3L);
    assertThat(CLONE.decode(CLONE.encode(new JsObject(Map.of("name", "nut"))), Grew.class))
        .isEqualTo(old);
    JsObject empty = new JsObject(Map.of("name", "nut"));
    empty.put("number", null);
    assertThat(CLONE.decode(CLONE.encode(empty), Grew.class).number()).isNull();
    Grew other =
        new Grew("x", 1, false, 0, DayOfWeek.MONDAY, Duration.ZERO, old.at(), old.note(), 1L);
    assertThat(roundTrip(other, Grew.class)).isEqualTo(other);
  }

  @Test
  void defaultThatIsNoneIsRefusedWhenTheValueIsWritten() {
    assertRefused(() -> CLONE.encodeReadable(new Badly(1)), "$.count", "expected int");
    assertRefused(() -> CLONE.encodeReadable(new Unable(List.of())), "$.names", "java.util.List");
  }

  @Test
  void renamedComponentIsRefusedAndNotReadAsNull() {
    JsObject item = new JsObject(Map.of("name", "nut", "count", 1L, "time", 5L));
    JsObject basket = new JsObject(Map.of("owner", "Ann", "items", List.of(item)));
    basket.put("byName", new JsMap());
    assertRefused(
        () -> CLONE.decode(CLONE.encode(basket), Basket.class),
        "$.items[0]",
        "lacks .at of record " + Item.class.getName() + " and has .time, which it lacks");
  }

  record Renamed(@Alias({"article", "thing"}) String item, int count) {}

  record TwiceNamed(@Alias("count") String item, int count) {}

  @Test
  void componentIsReadUnderAnEarlierNameAndWrittenUnderItsOwn() {
    Renamed nut = new Renamed("nut", 3);
    for (String name : List.of("article", "thing", "item")) {
      byte[] stored = CLONE.encode(new JsObject(Map.of(name, "nut", "count", 3L)));
      assertThat(CLONE.decode(stored, Renamed.class)).isEqualTo(nut);
    }
    assertThat(((JsObject) CLONE.decode(CLONE.encode(nut))).keySet())
        .containsExactly("item", "count");
  }

  @Test
  void componentUnderTwoNamesIsRefused() {
    byte[] stored = CLONE.encode(new JsObject(Map.of("item", "a", "thing", "b", "count", 1L)));
    assertThatThrownBy(() -> CLONE.decode(stored, Renamed.class))
        .isInstanceOf(StructuredCloneException.class)
        .hasMessageContaining("property item twice");
  }

  @Test
  void aliasThatIsTheNameOfAnotherComponentIsRefused() {
    assertThatThrownBy(() -> CLONE.encode(new TwiceNamed("a", 1)))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("@Alias(\"count\") of .item is also a name of .count");
  }

  @Test
  void renamedPrimitiveIsNamedAsRenamed() {
    JsObject item = new JsObject(Map.of("name", "nut", "number", 1L));
    assertRefused(
        () -> CLONE.decode(CLONE.encode(item), Item.class), "$", "lacks .count, .at of record");
  }

  @Test
  void namesOfAHostileValueDoNotFillTheMessage() {
    JsObject item = new JsObject();
    for (int i = 0; i < 10_000; i++) {
      item.put("x".repeat(100) + i, null);
    }
    assertThatThrownBy(() -> CLONE.decode(CLONE.encode(item), Item.class))
        .isInstanceOf(CloneException.class)
        .message()
        .hasSizeLessThan(800);
  }

  @Test
  void optionalComponentComesBackAndIsEmptyWhereItIsMissing() {
    Profile full = new Profile("Ann", Optional.of(List.of(new Item("nut", 1, null))));
    Profile none = new Profile("Bob", Optional.empty());
    assertThat(roundTrip(full, Profile.class)).isEqualTo(full);
    assertThat(roundTrip(none, Profile.class)).isEqualTo(none);
    assertThat(CLONE.decode(CLONE.encode(new JsObject(Map.of("name", "Bob"))), Profile.class))
        .isEqualTo(none);
    assertThat(CLONE.copy(full)).isEqualTo(full);
  }

  record Choices(List<Optional<String>> list, Map<String, Optional<Item>> map) {}

  @Test
  void optionalsInCollectionsComeBack() {
    Choices choices =
        new Choices(
            List.of(Optional.of("a"), Optional.empty()),
            Map.of("x", Optional.of(new Item("nut", 1, null)), "y", Optional.empty()));
    assertThat(CLONE.decode(CLONE.encodeReadable(choices), Choices.class)).isEqualTo(choices);
    assertThat(CLONE.decode(CLONE.encode(Optional.of("a")))).isEqualTo("a");
    assertThat(CLONE.decode(CLONE.encode(Optional.empty()))).isNull();
    assertRefused(
        () -> CLONE.encode(Optional.of(Optional.empty())), "$", "Optional of a java.util.Optional");
  }

  @Test
  void recordsThatAreReadAsTheirClassAreWrittenReadable() {
    Holder holder = new Holder(new Wrapper<>(new Item("a", 1, null), List.of()));
    Loose loose = new Loose(new Circle(1), List.of(new Wrapper<>(1L, List.of())));
    for (Object value : List.of(holder, loose, new Tree("x", List.of()), 5L, List.of(holder))) {
      assertThat(CLONE.encodeReadable(value)).isEqualTo(CLONE.encode(value));
    }
    assertThat(CLONE.decode(CLONE.encodeReadable(holder), Holder.class)).isEqualTo(holder);
  }

  @Test
  void recordThatCouldNeverBeReadIsRefusedWithTheComponent() {
    Drawing drawing = new Drawing(new Circle(1));
    assertRefused(() -> CLONE.encodeReadable(drawing), "$.shape", "not guessed");
    assertRefused(
        () -> CLONE.encodeReadable(Map.of("k", List.of(1L, drawing))),
        "$[\"k\"][1].shape",
        "not guessed");
    Gallery gallery = new Gallery(List.of(), Map.of());
    assertRefused(() -> CLONE.encodeReadable(gallery), "$.byName.values()[0].shape", "not guessed");
    // The second time, too: the cache keeps readable classes only.
    assertRefused(() -> CLONE.encodeReadable(drawing), "$.shape", "not guessed");
  }

  /** As a component of type Object, or of the bound of the variable. */
  @Test
  void componentWhoseTypeOnlyTheWriterKnowsIsReadUntyped() {
    Wrapper<String> wrapper = new Wrapper<>("x", List.of("y"));
    assertThat(CLONE.decode(CLONE.encodeReadable(wrapper), Wrapper.class)).isEqualTo(wrapper);
    Raw raw = new Raw(wrapper);
    assertThat(CLONE.decode(CLONE.encodeReadable(raw), Raw.class)).isEqualTo(raw);
    Bounded<Item> bounded = new Bounded<>(new Item("nut", 1, null), List.of());
    assertThat(CLONE.decode(CLONE.encodeReadable(bounded), Bounded.class)).isEqualTo(bounded);
  }

  @Test
  void typeThatCannotBeReadWhateverItsArgumentsIsRefused() {
    assertRefused(
        () -> CLONE.encodeReadable(new Figure<>(new Circle(1))), "$.shape", "not guessed");
    assertRefused(
        () -> CLONE.encodeReadable(new Twice(Optional.empty())), "$.content", "java.util.Optional");
    assertRefused(
        () -> CLONE.encodeReadable(new Grown(new Growing<>("x", null))),
        "$.first" + ".more".repeat(31),
        "type arguments nested more than 32 deep");
  }

  @Test
  void missingPrimitiveIsRefused() {
    JsObject object = new JsObject(Map.of("name", "nut"));
    assertRefused(
        () -> CLONE.decode(CLONE.encode(object), Item.class),
        "$.count",
        "expected int, found no property");
  }

  @Test
  void recordWithoutComponentsIsRead() {
    assertThat(roundTrip(new Empty(), Empty.class)).isEqualTo(new Empty());
  }

  @Test
  void collectionsAreReadAsTheTypeAskedFor() {
    assertThat(read(Arrays.asList(1L, null, 1L << 60), type("longs")))
        .isEqualTo(Arrays.asList(1L, null, 1L << 60));
    assertThat(read(List.of("b", "a"), type("deque"))).isInstanceOf(Deque.class);
    assertThat((Set<?>) read(new JsSet(List.of("b", "a")), type("names"))).hasToString("[b, a]");
    assertThat(read(new TreeMap<>(Map.of("k", List.of(1L, 2.5))), type("sorted")))
        .isEqualTo(new TreeMap<>(Map.of("k", List.of(1.0, 2.5))));
    assertThat(read(Map.of(5L, "five"), type("byNumber"))).isEqualTo(Map.of(5L, "five"));
    assertThat((List<?>[]) read(List.of(List.of("a")), type("listArray")))
        .isEqualTo(new List<?>[] {List.of("a")});
  }

  @Test
  void objectIsReadAsMapOfItsProperties() {
    JsObject object = new JsObject(Map.of("7", "seven"));
    assertThat(read(object, type("byNumber"))).isEqualTo(Map.of(7L, "seven"));
    JsObject days = new JsObject(Map.of("MONDAY", 1L));
    assertThat(read(days, type("byDay"))).isEqualTo(Map.of(DayOfWeek.MONDAY, 1));
    assertRefused(() -> read(days, type("byNumber")), "$", "found a name: MONDAY");
  }

  @Test
  void arraysOfPrimitivesComeBack() {
    assertThat(roundTrip(new int[] {1, -2}, int[].class)).containsExactly(1, -2);
    assertThat(roundTrip(new long[] {Long.MIN_VALUE}, long[].class))
        .containsExactly(Long.MIN_VALUE);
    assertThat(roundTrip(new double[] {-0.0}, double[].class)).containsExactly(-0.0);
    assertThat(roundTrip(new float[] {1.5f}, float[].class)).containsExactly(1.5f);
    assertThat(roundTrip(new short[] {-7}, short[].class)).containsExactly((short) -7);
    assertThat(CLONE.decode(CLONE.encode(List.of(1L, 2L)), int[].class)).containsExactly(1, 2);
    assertThat(roundTrip(new String[] {"a"}, String[].class)).containsExactly("a");
  }

  @Test
  void bytesAreReadFromBuffersAndByteViews() {
    byte[] bytes = {1, 2, 3};
    JsView part = new JsView(JsView.Kind.UINT8, JsBuffer.fixed(bytes), 1, 2, false);
    assertThat(CLONE.decode(CLONE.encode(bytes), byte[].class)).isEqualTo(bytes);
    assertThat(CLONE.decode(CLONE.encode(part), byte[].class)).isEqualTo(new byte[] {2, 3});
    assertThat(CLONE.decode(CLONE.encode(JsBuffer.resizable(bytes, 9)), byte[].class))
        .isEqualTo(bytes);
    byte[] ints = CLONE.encode(new int[] {1});
    assertRefused(() -> CLONE.decode(ints, byte[].class), "$", "expected byte[]");
  }

  @Test
  @SuppressWarnings("JavaUtilDate")
  void datesAreInterchangeable() {
    Instant instant = Instant.ofEpochMilli(-5);
    assertThat(CLONE.decode(CLONE.encode(Date.from(instant)), Instant.class)).isEqualTo(instant);
    assertThat(CLONE.decode(CLONE.encode(instant), Date.class)).isEqualTo(Date.from(instant));
  }

  @Test
  void mismatchNamesPathAndBothTypes() {
    JsObject item = new JsObject(Map.of("name", "nut", "count", "three"));
    JsObject basket = new JsObject(Map.of("owner", "Ann", "items", List.of(item)));
    assertRefused(
        () -> CLONE.decode(CLONE.encode(basket), Basket.class),
        "$.items[0].count",
        "expected int, found a string");
  }

  @Test
  void refusalOfTheConstructorIsTheCause() {
    byte[] bytes = CLONE.encode(new JsObject(Map.of("value", -1L)));
    assertThatThrownBy(() -> CLONE.decode(bytes, Positive.class))
        .isInstanceOf(CloneException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not positive: -1");
  }

  @Test
  void unknownEnumConstantAndBrokenTextAreRefused() {
    assertRefused(
        () -> CLONE.decode(CLONE.encode("FUNDAY"), DayOfWeek.class), "$", "found \"FUNDAY\"");
    assertRefused(
        () -> CLONE.decode(CLONE.encode("2026-02-30"), LocalDate.class), "$", "\"2026-02-30\"");
  }

  @Test
  void interfaceIsNotGuessed() {
    byte[] drawing = CLONE.encode(new Drawing(new Circle(1)));
    assertRefused(() -> CLONE.decode(drawing, Drawing.class), "$.shape", "not guessed");
    assertThat(CLONE.decode(drawing)).isInstanceOf(JsObject.class);
  }

  @Test
  void cycleThroughRecordIsRefused() {
    List<Object> list = new ArrayList<>();
    Loose loose = new Loose(list, null);
    list.add(loose);
    byte[] bytes = CLONE.encode(loose);
    assertRefused(() -> CLONE.decode(bytes, Loose.class), "$.first", "still being read");
    JsObject object = (JsObject) CLONE.decode(bytes);
    assertThat(((List<?>) object.get("first")).get(0)).isSameAs(object);
  }

  @Test
  void cycleThroughArrayIsRefused() {
    @Nullable Object[] array = new @Nullable Object[1];
    array[0] = array;
    byte[] bytes = CLONE.encode(array);
    assertRefused(() -> CLONE.decode(bytes, Object[].class), "$[0]", "still being read");
    List<?> read = CLONE.decode(bytes, List.class);
    assertThat(read.get(0)).isSameAs(read);
  }

  @Test
  void cycleThroughListIsRead() {
    List<Object> list = new ArrayList<>();
    list.add(list);
    List<?> read = CLONE.decode(CLONE.encode(list), List.class);
    assertThat(read.get(0)).isSameAs(read);
  }

  @Test
  void keyThatContainsItselfIsRefused() {
    byte[] listInItselfInSet = {(byte) 0xFF, 15, '\'', 'A', 1, '^', 1, '$', 0, 1, ',', 1};
    assertRefused(
        () -> CLONE.decode(listInItselfInSet, type("lists")), "$[0][0]", "read it as JsSet");
    assertThat(CLONE.decode(listInItselfInSet, JsSet.class).size()).isEqualTo(1);
  }

  @Test
  void arrayWithHolesIsNoList() {
    JsArray array = JsArray.sparse(4_000_000_000L);
    array.put(0, "a");
    assertRefused(() -> CLONE.decode(CLONE.encode(array), List.class), "$[1]", "holes");
    JsArray filled = JsArray.sparse(2);
    filled.put(1, "b");
    filled.put(0, "a");
    List<?> read = CLONE.decode(CLONE.encode(filled), List.class);
    assertThat(read).isEqualTo(List.of("a", "b"));
  }

  @Test
  void setRefusesWhatJavaCannotDistinguish() {
    JsSet twoEqual = new JsSet();
    twoEqual.add(new JsArray(List.of(1L)));
    twoEqual.add(new JsArray(List.of(1L)));
    byte[] bytes = CLONE.encode(twoEqual);
    assertRefused(() -> CLONE.decode(bytes, type("lists")), "$[1]", "an element twice");
    assertThat(CLONE.decode(bytes, JsSet.class).size()).isEqualTo(2);
  }
}
