package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.CloneFormatException;
import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsView;
import dev.holdfast.clone.StructuredCloneException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that no encoder wrote. */
final class HostileBytesTest {

  private static final StructuredClone CLONE = StructuredClone.standard();

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex("ff0f" + hex);
  }

  private static byte[] repeated(String first, String unit, int count, String last) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(bytes(first));
    byte[] repeated = HexFormat.of().parseHex(unit);
    for (int i = 0; i < count; i++) {
      out.writeBytes(repeated);
    }
    out.writeBytes(HexFormat.of().parseHex(last));
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "22ffffffff0f", // one-byte string
        "63feffffff0f", // two-byte string
        "53ffffffff0f", // UTF-8 string
        "42ffffffff0f", // buffer
        "7effffffff0fffffffff0f", // resizable buffer
        "41ffffffff0f", // dense array
        "5afeffffff0f", // BigInt
        "5c08ffffffffffffffffff01", // DOMException
      })
  void hugeLengthIsRefusedBeforeAnythingIsAllocated(String hex) {
    assertThatThrownBy(() -> CLONE.decode(bytes(hex))).isInstanceOf(CloneFormatException.class);
  }

  @Test
  void hugeSparseArrayTakesNoMemory() {
    JsArray array = (JsArray) CLONE.decode(bytes("61ffffffff0f4000ffffffff0f"));
    assertThat(array.length()).isEqualTo(JsArray.LENGTH_MAX);
    assertThat(array.toString()).isEqualTo("[<4294967295 empty>]");
  }

  /** If holes were counted one by one, this would take longer than the build may. */
  @Test
  void holesOfKeysAndElementsAreNotWalkedThrough() {
    String sparse = "61feffffff0f4000feffffff0f";
    String longer = "61ffffffff0f490249044001ffffffff0f";
    byte[] set = bytes("27" + sparse + longer + "2c02");
    byte[] map = bytes("3b" + sparse + "4902" + longer + "49043a04");
    for (int i = 0; i < 200; i++) {
      Holes holes = CLONE.decode(within("elements", set), Holes.class);
      assertThat(holes.elements()).hasSize(2);
      assertThat(CLONE.decode(within("byKey", map), Holes.class).byKey()).hasSize(2);
    }
    byte[] twice = bytes("27" + sparse + sparse + "2c02");
    assertThatThrownBy(() -> CLONE.decode(within("elements", twice), Holes.class))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("an element twice");
  }

  private record Holes(@Nullable Set<Object> elements, @Nullable Map<Object, Long> byKey) {}

  /** An object whose one property is a value. */
  private static byte[] within(String name, byte[] value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(bytes("6f"));
    out.write('"');
    out.write(name.length());
    out.writeBytes(name.getBytes(StandardCharsets.ISO_8859_1));
    out.write(value, 2, value.length - 2);
    out.writeBytes(HexFormat.of().parseHex("7b01"));
    return out.toByteArray();
  }

  @ParameterizedTest
  @CsvSource({
    "4101, dense array",
    "6f220161, object",
    "3b49024902, map in value",
    "3b, map in key",
    "27, set",
    "726d220163, cause",
    "5c0a0122006f220163, error",
  })
  void endlessNestingIsRefused(String unit, String name) {
    byte[] bytes = repeated("", unit, 100_000, "");
    assertThatThrownBy(() -> CLONE.decode(bytes)).as(name).isInstanceOf(CloneFormatException.class);
    assertThatThrownBy(() -> CLONE.decode(bytes, List.class))
        .isInstanceOf(StructuredCloneException.class);
  }

  @Test
  void objectCountsBeforeAValueAreSkippedWithoutNesting() {
    assertThat(CLONE.decode(repeated("", "3f00", 100_000, "4902"))).isEqualTo(1L);
    assertThat(CLONE.decode(repeated("", "00", 100_000, "4902"))).isEqualTo(1L);
  }

  @Test
  void groupsOfAPatternNestedWithoutEndAreRefused() {
    byte[] bytes = repeated("5222a08d06", "28", 100_000, "00");
    assertThatThrownBy(() -> CLONE.decode(bytes)).isInstanceOf(CloneFormatException.class);
  }

  @Test
  void faultSaysAtWhichByte() {
    assertThatThrownBy(() -> CLONE.decode(bytes("41024902ee")))
        .isInstanceOfSatisfying(
            CloneFormatException.class, e -> assertThat(e.offset()).isEqualTo(7))
        .hasMessage("unknown tag 0xee (at byte 7)");
  }

  @Test
  void bytesAfterTheValueAreIgnored() {
    assertThat(CLONE.decode(bytes("4902eeee"))).isEqualTo(1L);
  }

  @Test
  void nothingIsNoValue() {
    assertThatThrownBy(() -> CLONE.decode(new byte[0])).isInstanceOf(CloneFormatException.class);
  }

  @ParameterizedTest
  @CsvSource({"ff0c4902, 12", "ff114902, 17", "ff80014902, 128", "ffffffffff0f4902, 4294967295"})
  void versionThatIsNotKnownIsNamed(String hex, String version) {
    assertThatThrownBy(() -> CLONE.decode(HexFormat.of().parseHex(hex)))
        .isInstanceOf(CloneFormatException.class)
        .hasMessageContaining("version " + version + " ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ff0d4902", "ff0e4902", "ff0f4902", "ff104902", "4902"})
  void versions13To16AndNoHeaderAreRead(String hex) {
    assertThat(CLONE.decode(HexFormat.of().parseHex(hex))).isEqualTo(1L);
  }

  @Test
  void viewOfVersion13WithFlagsIsReadAllTheSame() {
    byte[] bytes = HexFormat.of().parseHex("ff0d" + "4101" + "42020102" + "5642000200" + "240001");
    assertThat(((JsView) ((List<?>) CLONE.decode(bytes)).get(0)).byteLength()).isEqualTo(2);
  }

  @Test
  void encodedSurrogatesBecomeThreeReplacements() {
    assertThat(CLONE.decode(bytes("5303eda080"))).isEqualTo("\uFFFD\uFFFD\uFFFD");
    assertThat(CLONE.decode(bytes("5304f09f9880"))).isEqualTo("\uD83D\uDE00");
    assertThat(CLONE.decode(bytes("5304f09f9841"))).isEqualTo("\uFFFDA");
    assertThat(CLONE.decode(bytes("5303c0afe2"))).isEqualTo("\uFFFD\uFFFD\uFFFD");
    assertThat(CLONE.decode(bytes("5308f4908080e282ace2")))
        .isEqualTo("\uFFFD".repeat(4) + "\u20AC\uFFFD");
  }

  @ParameterizedTest
  @CsvSource({
    "000000000000f83f, 1.5",
    "0000000000002440, 10",
    "00000000000024c0, -10",
    "50efe2d6e41a4b44, 1e+21",
    "b0ecd1930486483d, 1.7425e-13",
    "8dedb5a0f7c6b03e, 0.000001",
    "48afbc9af2d77a3e, 1e-7",
    "0100000000000000, 5e-324",
    "ffffffffffffef7f, 1.7976931348623157e+308",
    "0000000000000080, 0",
    "000000000000f07f, Infinity",
    "000000000000f87f, NaN",
    "6e861bf0f9210940, 3.14159",
    "fca9f1d24d62603f, 0.002",
    "aba6c1803021c743, 3333333333333333500",
    "dabc047e3ac51a44, 123456789012345680000",
    "f64ae1c7022db544, 1e+23",
    "0000000000004043, 9007199254740992",
    "343333333333d33f, 0.30000000000000004",
    "2610c01770e0af3e, 9.5e-7",
    "6666666666661140, 4.35",
    "4cce61e3a79de4bd, -1.5e-10",
  })
  void numberAsNameIsTextAsJavaScriptWritesIt(String hex, String name) {
    JsObject object = (JsObject) CLONE.decode(bytes("6f4e" + hex + "49027b01"));
    assertThat(object).containsOnlyKeys(name);
  }
}
