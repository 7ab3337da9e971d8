package dev.holdfast.clone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.codec.StructuredClone;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsValuesTest {

  private static final StructuredClone CLONE = StructuredClone.standard();

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex("ff0f" + hex);
  }

  @Test
  void arrayIsAListWithHolesAsUndefined() {
    JsArray array = JsArray.sparse(3);
    array.put(1, "b");
    assertThat(new ArrayList<>(array))
        .containsExactly(JsUndefined.UNDEFINED, "b", JsUndefined.UNDEFINED);
    assertThat(array.has(0)).isFalse();
    assertThat(array.entryCount()).isEqualTo(1);
    assertThat(array).hasToString("[<1 empty>, b, <1 empty>]");
  }

  @Test
  void arrayWithHolesIsEqualToTheListOfItsElements() {
    Random random = new Random(20_261_122);
    for (int i = 0; i < 500; i++) {
      JsArray array = JsArray.sparse(random.nextInt(40));
      for (int entries = random.nextInt(6); entries > 0; entries--) {
        array.put(random.nextInt(45), random.nextInt(4) == 0 ? null : random.nextInt(3));
      }
      List<Object> list = new ArrayList<>(array);
      assertThat(array.hashCode()).isEqualTo(list.hashCode());
      assertThat(array.equals(list)).isTrue();
      assertThat(list.equals(array)).isTrue();
      JsArray same = CLONE.copy(array);
      assertThat(same).isEqualTo(array).hasSameHashCodeAs(array);
      same.put(same.length(), JsUndefined.UNDEFINED);
      assertThat(same.equals(array)).isFalse();
      assertThat(array.equals(new ArrayList<>(same))).isFalse();
      int changed = random.nextInt((int) same.length());
      JsArray other = new JsArray(same);
      assertThat(other).isEqualTo(same).hasSameHashCodeAs(same);
      other.set(changed, "x");
      assertThat(other.equals(same)).isFalse();
      assertThat(same.equals(other)).isFalse();
    }
  }

  @Test
  void arrayClosesUpWhenItsHolesAreFilled() {
    JsArray array = new JsArray();
    array.put(2, "c");
    array.put(0, "a");
    assertThatThrownBy(() -> array.remove(0)).isInstanceOf(UnsupportedOperationException.class);
    array.put(1, "b");
    array.remove(0);
    array.add(0, "x");
    array.add("d");
    assertThat(array.set(1, "y")).isEqualTo("b");
    assertThat(array).isEqualTo(List.of("x", "y", "c", "d"));
    assertThat(CLONE.encode(array)).isEqualTo(CLONE.encode(List.of("x", "y", "c", "d")));
  }

  @Test
  void arrayRefusesIndicesOutOfRange() {
    JsArray array = new JsArray(List.of("a"));
    assertThatThrownBy(() -> array.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> array.put(-1, "")).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> array.put(JsArray.LENGTH_MAX, ""))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> JsArray.sparse(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "length"})
  void arrayHasNoNamedPropertyOfThisName(String name) {
    JsArray array = new JsArray();
    array.properties().put(name, 1L);
    assertThatThrownBy(() -> CLONE.encode(array)).isInstanceOf(CloneException.class);
  }

  @Test
  void indexBeyondTheLengthMakesTheArrayLonger() {
    JsArray array = (JsArray) CLONE.decode(bytes("6102490a4902400102"));
    assertThat(array.length()).isEqualTo(6);
    assertThat(array.get(5)).isEqualTo(1L);
  }

  @Test
  void mapComparesPrimitivesByValueAndObjectsByIdentity() {
    List<Long> list = new ArrayList<>(List.of(1L));
    JsMap map = new JsMap();
    map.put(1L, "one");
    map.put(1.0, "also one");
    map.put(list, "list");
    map.put(new ArrayList<>(list), "other list");
    map.put(Double.NaN, "nan");
    assertThat(map).hasSize(4);
    assertThat(map.get((byte) 1)).isEqualTo("also one");
    assertThat(map.get(-0.0)).isNull();
    assertThat(map.get(list)).isEqualTo("list");
    list.add(2L);
    assertThat(map.remove(list)).isEqualTo("list");
    assertThat(map.containsKey(0.0 / 0.0)).isTrue();
  }

  @Test
  void setComparesAsMapDoes() {
    JsSet set = new JsSet(Arrays.asList(1, 1.0, null, JsUndefined.UNDEFINED, "1", null));
    assertThat(set.size()).isEqualTo(4);
    assertThat(set.contains(1L)).isTrue();
    assertThat(set.remove(1.0)).isTrue();
    assertThat(set.remove(1.0)).isFalse();
  }

  @Test
  void zeroWithSignIsNoKeyOfItsOwn() {
    JsMap map = (JsMap) CLONE.decode(bytes("3b4e0000000000000080303a02"));
    assertThat(map.keySet()).isEqualTo(java.util.Set.of(0L));
  }

  @Test
  void indicesComeFirstInNumericOrder() {
    JsObject object = new JsObject();
    for (String name : List.of("b", "10", "9", "4294967295", "01", "a")) {
      object.put(name, true);
    }
    JsObject read = (JsObject) CLONE.decode(CLONE.encode(object));
    assertThat(new ArrayList<>(read.keySet()))
        .containsExactly("9", "10", "b", "4294967295", "01", "a");
  }

  @ParameterizedTest
  @CsvSource({
    "63026100, string",
    "6f006302610049027b01, name of a property",
    "52006302610000, source of a pattern",
    "726d630261002e, message of an error",
    "726d22016d73630261002e, stack of an error",
    "730063026100, boxed string"
  })
  void exactReadingKeepsWideStrings(String hex, String where) {
    byte[] bytes = bytes(hex);
    StructuredClone exact = StructuredClone.exact();
    assertThat(exact.encode(exact.decode(bytes))).as(where).isEqualTo(bytes);
    assertThat(CLONE.encode(CLONE.decode(bytes))).as(where).isNotEqualTo(bytes);
    assertThat(exact.encode(exact.copy(exact.decode(bytes)))).as(where).isEqualTo(bytes);
  }

  @Test
  void wideStringIsAStringInStandardReading() {
    assertThat(CLONE.decode(bytes("63026100"))).isEqualTo("a");
    assertThat(StructuredClone.exact().decode(bytes("63026100"))).isEqualTo(new JsString("a"));
    assertThat(StructuredClone.exact().decode(bytes("63026100"), String.class)).isEqualTo("a");
    assertThatThrownBy(() -> new JsString("\u0100")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void arrayOfIntegersAndDoublesThatWereStoredApartStaysSo() {
    byte[] bytes = bytes("410249024e0000000000000440240002");
    JsArray array = (JsArray) CLONE.decode(bytes);
    assertThat(CLONE.encode(array)).isEqualTo(bytes);
    array.add(3L);
    assertThat(CLONE.encode(array)).isEqualTo(CLONE.encode(List.of(1L, 2.5, 3L)));
  }

  @Test
  void errorThatIsItsOwnCauseComesBack() {
    JsError error = JsError.of("TypeError", "loop");
    error.properties().put("cause", error);
    JsError read = (JsError) CLONE.decode(CLONE.encode(error));
    assertThat(read.properties().get("cause")).isSameAs(read);
    JsError plain = JsError.plain("RangeError", "loop");
    plain.properties().put("cause", List.of(plain));
    JsError plainRead = (JsError) CLONE.decode(CLONE.encode(plain));
    assertThat(plainRead.properties().get("cause")).isEqualTo(List.of(plainRead));
    assertThat(CLONE.copy(plainRead).properties().get("cause")).isNotSameAs(plainRead);
  }

  @Test
  void errorOfOlderEnginesWithItsCauseFirstIsRead() {
    JsError error = (JsError) CLONE.decode(bytes("726d22016d634902732201732e"));
    assertThat(error.properties()).isEqualTo(Map.of("cause", 1L, "stack", "s"));
  }

  @Test
  void viewsShareTheirBufferAfterCopyAndAfterReading() {
    JsBuffer buffer = JsBuffer.resizable(new byte[8], 64);
    List<Object> views =
        List.of(
            new JsView(JsView.Kind.FLOAT16, buffer, 2, 4, false),
            new JsView(JsView.Kind.INT32, buffer, 4, 4, true),
            buffer);
    for (Object result : List.of(CLONE.copy(views), CLONE.decode(CLONE.encode(views)))) {
      List<?> read = (List<?>) result;
      JsView first = (JsView) read.get(0);
      JsView second = (JsView) read.get(1);
      assertThat(first.buffer().bytes())
          .isSameAs(second.buffer().bytes())
          .isNotSameAs(buffer.bytes());
      assertThat(second.lengthTracking()).isTrue();
      assertThat(second.byteLength()).isEqualTo(4);
      assertThat(((JsBuffer) read.get(2)).byteLengthMax()).isEqualTo(64);
    }
  }

  @Test
  void bufferThatCannotBeChangedIsReadAsAnyOther() {
    assertThat((byte[]) CLONE.decode(bytes("43030102ff"))).containsExactly(1, 2, -1);
    JsView view = (JsView) CLONE.decode(bytes("4308000000000000000756710008" + "00"));
    assertThat(view.kind()).isEqualTo(JsView.Kind.BIG_INT64);
    assertThat(view.buffer().bytes()).endsWith(7);
  }

  @Test
  void viewMustFitItsBuffer() {
    JsBuffer buffer = JsBuffer.fixed(new byte[8]);
    assertThatThrownBy(() -> new JsView(JsView.Kind.INT32, buffer, 2, 4, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new JsView(JsView.Kind.INT8, buffer, 2, 7, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new JsView(JsView.Kind.INT8, buffer, 0, 8, true))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "a/b, a\\/b",
    "[/]/, [/]\\/",
    "'', (?:)",
    "a\\/b, a\\/b",
    "'a\nb', a\\nb",
    "'a\\\nb', a\\nb",
  })
  void patternIsEscapedAsJavaScriptDoes(String pattern, String source) {
    assertThat(JsRegExp.of(pattern, "").source()).isEqualTo(source);
  }

  /** JavaScript escapes these two in a string of two bytes a character, and stores that. */
  @ParameterizedTest
  @CsvSource({
    "'a\u2028', 5200630e61005c007500320030003200380000",
    "'\u2029', 5200630c5c007500320030003200390000",
    "'a\\u2028', 522207615c753230323800"
  })
  void separatorOfLinesIsEscapedInTwoBytesACharacter(String pattern, String hex) {
    assertThat(CLONE.encode(JsRegExp.of(pattern, ""))).isEqualTo(bytes(hex));
  }

  @ParameterizedTest
  @CsvSource({"(, ''", "a), ''", "'(?:a[)]', ''", "[a, ''", "\\, ''", "a, gg", "a, x", "a, uv"})
  void openBracketsAndUnknownFlagsAreRefused(String pattern, String flags) {
    assertThatThrownBy(() -> JsRegExp.of(pattern, flags))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "a**, g",
    "], ''",
    "[]a], ''",
    "[(], ''",
    "\\((a), ''",
    "(?<n>a){2}{3}, g",
    "\\u{110000}, u",
    "[[a-z]--[aeiou]], v"
  })
  void restOfAPatternIsStoredAsItIs(String pattern, String flags) {
    JsRegExp stored = JsRegExp.of(pattern, flags);

    assertThat(stored.source()).isEqualTo(pattern);
    assertThat(CLONE.decode(CLONE.encode(stored))).isEqualTo(stored);
  }
}
