package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.codec.bytes.JsNumbers;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** A value that was written is read unchanged, and a copy is equal and separate. */
final class ValueRoundTripTest {

  private static final StructuredClone CLONE = StructuredClone.standard();

  private record Node(
      long number,
      double real,
      @Nullable String text,
      @Nullable Instant at,
      List<Node> children,
      Map<String, Long> counts) {}

  @Property
  void longComesBackAsTheSameLong(@ForAll long value) {
    assertThat(CLONE.decode(CLONE.encode(value), Long.class)).isEqualTo(value);
    assertThat(CLONE.decode(CLONE.encode(value), Number.class).toString())
        .isEqualTo(Long.toString(value));
  }

  @Property
  void doubleComesBackAsTheSameDouble(@ForAll("doubles") double value) {
    Double read = CLONE.decode(CLONE.encode(value), Double.class);
    assertThat(Double.doubleToLongBits(read)).isEqualTo(Double.doubleToLongBits(value));
  }

  @Property
  void stringComesBackUnitByUnit(@ForAll("strings") String value) {
    assertThat(CLONE.decode(CLONE.encode(value))).isEqualTo(value);
    assertThat(CLONE.decode(CLONE.encode(new JsObject(Map.of(value, value))), JsObject.class))
        .isEqualTo(Map.of(value, value));
  }

  @Property
  void bigIntegerComesBack(@ForAll BigInteger value, @ForAll byte shift) {
    BigInteger wide = value.shiftLeft(shift & 0xFF);
    assertThat(CLONE.decode(CLONE.encode(wide))).isEqualTo(wide);
  }

  @Property
  void instantOfMillisecondsComesBack(@ForAll("instants") Instant value) {
    assertThat(CLONE.decode(CLONE.encode(value))).isEqualTo(value);
  }

  @Property(tries = 300)
  void valueReadWithoutTypeIsTheValueInItsNaturalTypes(@ForAll("values") @Nullable Object value) {
    assertThat(natural(CLONE.decode(CLONE.encode(value)))).isEqualTo(natural(value));
  }

  @Property(tries = 300)
  void valueReadAndWrittenHasTheSameBytes(@ForAll("values") @Nullable Object value) {
    byte[] bytes = CLONE.encode(value);
    assertThat(CLONE.encode(CLONE.decode(bytes))).isEqualTo(bytes);
  }

  @Property(tries = 300)
  void recordComesBackEqual(@ForAll("nodes") Node node) {
    assertThat(CLONE.decode(CLONE.encode(node), Node.class)).isEqualTo(node);
  }

  @Property(tries = 300)
  void copyIsEqualAndWrittenAlike(@ForAll("values") @Nullable Object value) {
    Object copy = CLONE.copy(value);
    assertThat(CLONE.encode(copy)).isEqualTo(CLONE.encode(value));
    assertThat(natural(copy)).isEqualTo(natural(value));
    if (value instanceof ArrayList<?>) {
      assertThat(copy).isNotSameAs(value);
    }
  }

  /** Collections of Java, and numbers as the mapping table defines them. */
  private static @Nullable Object natural(@Nullable Object value) {
    return switch (value) {
      case Long number when !JsNumbers.isExactInteger(number) -> BigInteger.valueOf(number);
      case Double number when JsNumbers.isLargeInteger(number) -> number.longValue();
      case List<?> list when list.stream().allMatch(Number.class::isInstance) ->
          list.stream().map(number -> ((Number) number).doubleValue()).toList();
      case List<?> list -> {
        List<@Nullable Object> result = new ArrayList<>();
        list.forEach(element -> result.add(natural(element)));
        yield result;
      }
      case Map<?, ?> map -> {
        Map<@Nullable Object, @Nullable Object> result = new LinkedHashMap<>();
        map.forEach((key, element) -> result.put(natural(key), natural(element)));
        yield result;
      }
      case byte[] bytes -> "bytes " + java.util.Arrays.toString(bytes);
      case null -> null;
      default -> value;
    };
  }

  @Provide
  Arbitrary<Double> doubles() {
    return Arbitraries.oneOf(
        Arbitraries.longs().map(Double::longBitsToDouble),
        Arbitraries.of(0.0, -0.0, Double.NaN, Double.MIN_VALUE, 0x1p30, 0x1p53, 0x1p63, -0x1p31));
  }

  @Provide
  Arbitrary<String> strings() {
    Arbitrary<Character> any = Arbitraries.chars();
    Arbitrary<Character> latin = Arbitraries.chars().range('\0', '\u00FF');
    return Arbitraries.oneOf(
        any.array(char[].class).ofMaxSize(80).map(String::new),
        latin.array(char[].class).ofMaxSize(200).map(String::new),
        Combinators.combine(latin.array(char[].class).ofSize(60), any)
            .as((chars, last) -> new String(chars) + last));
  }

  @Provide
  Arbitrary<Instant> instants() {
    return Arbitraries.longs()
        .between(-8_640_000_000_000_000L, 8_640_000_000_000_000L)
        .map(Instant::ofEpochMilli);
  }

  @Provide
  Arbitrary<@Nullable Object> values() {
    return values(3);
  }

  private Arbitrary<@Nullable Object> values(int depth) {
    Arbitrary<Object> leaf =
        Arbitraries.oneOf(
            Arbitraries.longs().asGeneric(),
            doubles().asGeneric(),
            Arbitraries.integers().between(-100, 100).map(Integer::longValue).asGeneric(),
            Arbitraries.of(true, false).asGeneric(),
            strings().asGeneric(),
            Arbitraries.bigIntegers().asGeneric(),
            instants().asGeneric(),
            Arbitraries.bytes().array(byte[].class).ofMaxSize(20).asGeneric(),
            Arbitraries.of(JsUndefined.values()).asGeneric());
    Arbitrary<@Nullable Object> nullable = leaf.injectNull(0.1);
    if (depth == 0) {
      return nullable;
    }
    Arbitrary<@Nullable Object> inner = values(depth - 1);
    return Arbitraries.oneOf(
        nullable,
        inner.list().ofMaxSize(5).map(ArrayList::new).asGeneric(),
        doubles().list().ofMaxSize(5).map(ArrayList::new).asGeneric(),
        Arbitraries.maps(strings(), inner).ofMaxSize(4).map(LinkedHashMap::new).asGeneric(),
        Arbitraries.maps(strings(), inner).ofMaxSize(4).map(JsObject::new).asGeneric());
  }

  @Provide
  Arbitrary<Node> nodes() {
    return nodes(2);
  }

  private Arbitrary<Node> nodes(int depth) {
    Arbitrary<List<Node>> children =
        depth == 0 ? Arbitraries.just(List.of()) : nodes(depth - 1).list().ofMaxSize(3);
    return Combinators.combine(
            Arbitraries.longs(),
            doubles(),
            strings().injectNull(0.2),
            instants().injectNull(0.2),
            children,
            Arbitraries.maps(strings(), Arbitraries.longs()).ofMaxSize(3))
        .as(Node::new);
  }
}
