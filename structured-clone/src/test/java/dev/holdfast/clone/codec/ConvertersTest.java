package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsObject;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Classes that the mapping does not have, and declared types that no value could be copied of. */
final class ConvertersTest {

  /** Has no constructor that takes its state. */
  static final class Tally {
    private final List<Long> counts = new ArrayList<>();

    Tally plus(long count) {
      counts.add(count);
      return this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Tally that && counts.equals(that.counts);
    }

    @Override
    public int hashCode() {
      return counts.hashCode();
    }
  }

  record Board(String name, Tally tally, Map<String, Tally> byName, Optional<Tally> best) {}

  record Count(OptionalLong number) {}

  record Stored(List<Long> counts) {}

  private static final class Tallies implements ValueConverter {
    @Override
    public boolean converts(Class<?> type) {
      return type == Tally.class;
    }

    @Override
    public Class<?> storedType() {
      return Stored.class;
    }

    @Override
    public Object toStored(Object value) {
      Tally tally = (Tally) value;
      if (tally.counts.contains(-1L)) {
        throw new IllegalArgumentException("negative");
      }
      return new Stored(tally.counts);
    }

    @Override
    public Object fromStored(Object stored, Type type) {
      Tally tally = new Tally();
      ((Stored) stored).counts().forEach(tally::plus);
      return tally;
    }
  }

  /** A class of the JDK. */
  private static final class OptionalLongs implements ValueConverter {
    @Override
    public boolean converts(Class<?> type) {
      return type == OptionalLong.class;
    }

    @Override
    public Class<?> storedType() {
      return String.class;
    }

    @Override
    public Object toStored(Object value) {
      OptionalLong number = (OptionalLong) value;
      return number.isPresent() ? Long.toString(number.getAsLong()) : "none";
    }

    @Override
    public Object fromStored(Object stored, Type type) {
      return stored.equals("none")
          ? OptionalLong.empty()
          : OptionalLong.of(Long.parseLong((String) stored));
    }
  }

  private static final StructuredClone CLONE =
      StructuredClone.standard().withConverters(List.of(new Tallies(), new OptionalLongs()));

  @Test
  void convertedValuesComeBackWhereverTheyAre() {
    Board board =
        new Board(
            "a",
            new Tally().plus(1),
            Map.of("x", new Tally().plus(2).plus(3)),
            Optional.of(new Tally()));
    assertThat(CLONE.decode(CLONE.encodeReadable(board), Board.class)).isEqualTo(board);
    assertThat(CLONE.decode(CLONE.encodeReadable(new Tally().plus(5)), Tally.class))
        .isEqualTo(new Tally().plus(5));
    assertThat(CLONE.decode(CLONE.encode(new Tally().plus(5))))
        .isEqualTo(new JsObject(Map.of("counts", List.of(5L))));
    Count count = new Count(OptionalLong.of(7));
    assertThat(CLONE.decode(CLONE.encodeReadable(count), Count.class)).isEqualTo(count);
  }

  @Test
  void copySharesNothingWithTheConvertedValue() {
    Board board = new Board("a", new Tally().plus(1), Map.of(), Optional.empty());
    Board copy = CLONE.copy(board);
    assertThat(copy).isEqualTo(board);
    board.tally().plus(2);
    assertThat(copy.tally()).isEqualTo(new Tally().plus(1));
    List<Tally> twice = List.of(board.tally(), board.tally());
    List<Tally> copies = CLONE.copy(twice);
    assertThat(copies.get(0)).isSameAs(copies.get(1)).isNotSameAs(board.tally());
  }

  @Test
  void failureOfAConverterHasThePath() {
    Board board = new Board("a", new Tally().plus(-1), Map.of(), Optional.empty());
    assertThatThrownBy(() -> CLONE.encode(board))
        .isInstanceOf(CloneException.class)
        .hasMessageStartingWith("$.tally: the codec of " + Tally.class.getTypeName() + " failed")
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void converterThatStoresWhatAConverterStoresIsRefused() {
    ValueConverter toItself =
        new ValueConverter() {
          @Override
          public boolean converts(Class<?> type) {
            return type == Tally.class;
          }

          @Override
          public Class<?> storedType() {
            return Tally.class;
          }

          @Override
          public Object toStored(Object value) {
            return value;
          }

          @Override
          public Object fromStored(Object stored, Type type) {
            return stored;
          }
        };
    StructuredClone clone = StructuredClone.standard().withConverters(List.of(toItself));
    assertThatThrownBy(() -> clone.encode(new Tally()))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("nested more than");
    assertThatThrownBy(() -> clone.decode(clone.encode(null), Tally.class))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("which a codec stores, too");
  }

  @Test
  void otherCodecDoesNotKnowTheConverters() {
    assertThatThrownBy(() -> StructuredClone.standard().encode(new Tally()))
        .isInstanceOf(CloneException.class);
  }

  record Source(String name, List<Thread> readers) {}

  record Node(Node next, List<Node> others, Object any, Runnable open, InputStream stream) {}

  /** The argument only distinguishes ids. */
  record Id<T>(String text, List<String> parts) {}

  record Pair<T>(T first, List<T> more) {}

  record Declared(
      Id<Thread> id,
      Pair<Thread> pair,
      Comparable<Thread> open,
      Map<String, Source> sources,
      Node node,
      Tally tally,
      List<? extends Number> numbers) {}

  private static Type typeOf(String component) throws NoSuchMethodException {
    return Objects.requireNonNull(
        Declared.class.getDeclaredMethod(component).getGenericReturnType());
  }

  private static PassedType passed(StructuredClone clone, String component) throws Exception {
    return clone.passed(typeOf(component), Declared.class, Declared.class);
  }

  @Test
  void declaredTypeThatNoValueCouldBeReadAsIsRefused() throws Exception {
    assertThatThrownBy(() -> passed(CLONE, "sources"))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("values cannot be read as java.lang.Thread")
        .hasMessageContaining("$.values().readers");
    assertThatThrownBy(() -> passed(StructuredClone.standard(), "tally"))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("whose parameters are exactly its fields [counts]");
    assertThatThrownBy(() -> passed(CLONE, "pair"))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("values cannot be read as java.lang.Thread")
        .hasMessageContaining("$.first");
    assertThatThrownBy(() -> passed(CLONE, "open"))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("make it sealed");
    assertThatThrownBy(() -> passed(CLONE, "node"))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("$.open");
    for (String readable : List.of("id", "tally", "numbers")) {
      assertThat(passed(CLONE, readable)).isNotNull();
    }
  }
}
