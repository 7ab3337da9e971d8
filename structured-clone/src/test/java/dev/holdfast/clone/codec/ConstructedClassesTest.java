package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsObject;
import dev.holdfast.value.Alias;
import dev.holdfast.value.Default;
import dev.holdfast.value.Name;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Classes whose constructor takes all of their fields are values. */
final class ConstructedClassesTest {

  private static final StructuredClone CLONE = StructuredClone.standard();

  static final class Line {
    private final String item;
    private final int count;
    private final List<String> notes;
    private transient int hash;

    Line(
        @Name("item") @Alias("article") String item,
        @Name("count") @Default("1") int count,
        @Name("notes") List<String> notes) {
      this.item = item;
      this.count = count;
      this.notes = notes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Line that
          && item.equals(that.item)
          && count == that.count
          && notes.equals(that.notes);
    }

    @Override
    public int hashCode() {
      if (hash == 0) {
        hash = Objects.hash(item, count, notes);
      }
      return hash;
    }
  }

  sealed interface State permits Running, Ended {}

  static final class Running implements State {
    final long since;

    Running(@Name("since") long since) {
      this.since = since;
    }
  }

  /** As the object of a Kotlin class. */
  static final class Ended implements State {
    @SuppressWarnings("UnusedVariable") // read by reflection
    public static final Ended INSTANCE = new Ended();

    private Ended() {}
  }

  record Job(State state) {}

  static class Extensible {
    final String text;

    Extensible(@Name("text") String text) {
      this.text = text;
    }
  }

  static final class Larger extends Extensible {
    final long more;

    Larger(@Name("text") String text, @Name("more") long more) {
      super(text);
      this.more = more;
    }
  }

  static final class Hiding {
    final String text;
    final long length;

    Hiding(@Name("text") String text) {
      this.text = text;
      this.length = text.length();
    }
  }

  static final class Guarded {
    final String text;

    private Guarded(@Name("text") String text) {
      this.text = text;
    }
  }

  private static void assertRefused(Object value, String reason) {
    assertThatThrownBy(() -> CLONE.encode(value))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining(reason);
    assertThatThrownBy(() -> CLONE.copy(value))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining(reason);
    assertThatThrownBy(() -> CLONE.decode(CLONE.encode(null), value.getClass()))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void classIsWrittenAndReadByItsConstructor() {
    Line line = new Line("nut", 3, List.of("x"));
    assertThat(CLONE.decode(CLONE.encodeReadable(line), Line.class)).isEqualTo(line);
    assertThat(CLONE.decode(CLONE.encode(line)))
        .isEqualTo(new JsObject(Map.of("item", "nut", "count", 3L, "notes", List.of("x"))));
  }

  @Test
  void annotationsOfParametersCountAsThoseOfComponents() {
    byte[] stored = CLONE.encode(new JsObject(Map.of("article", "nut")));
    assertThat(CLONE.decode(stored, Line.class)).isEqualTo(new Line("nut", 1, List.of()));
  }

  @Test
  void copySharesNothingThatCanChange() {
    List<String> notes = new ArrayList<>(List.of("x"));
    Line line = new Line("nut", 3, notes);
    Line copy = CLONE.copy(line);
    assertThat(copy).isEqualTo(line);
    notes.add("y");
    assertThat(copy.notes).containsExactly("x");
    Running running = new Running(5);
    assertThat(CLONE.copy(running)).as("nothing in it can change").isSameAs(running);
  }

  @Test
  void fieldsOfASuperclassAreComponentsToo() {
    Larger read = CLONE.decode(CLONE.encodeReadable(new Larger("x", 7)), Larger.class);
    assertThat(read.text).isEqualTo("x");
    assertThat(read.more).isEqualTo(7);
  }

  @Test
  void classesAndSingletonsAreOfSealedTypes() {
    assertThat(CLONE.decode(CLONE.encodeReadable(new Job(Ended.INSTANCE)), Job.class).state())
        .isSameAs(Ended.INSTANCE);
    Job running = CLONE.decode(CLONE.encodeReadable(new Job(new Running(5))), Job.class);
    assertThat(((Running) running.state()).since).isEqualTo(5);
  }

  @Test
  void classThatWouldLoseStateIsRefusedWithTheReason() {
    assertRefused(new Extensible("x"), "it is not final");
    assertRefused(new Hiding("x"), "whose parameters are exactly its fields [text, length]");
    assertRefused(new Guarded("x"), "no constructor, other than private ones");
    assertRefused(new Thread(() -> {}), "java.lang.Thread");
  }
}
