package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.spi.ObjectKey;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Holds the code to {@code docs/formats/rocksdb-batch.md}. */
final class KeyLayoutTest {

  @Test
  void keyIsNumberOfNamespaceThenIdThenName() {
    ObjectPrefix prefix = prefix(0x01020304, "00".repeat(31) + "2a");

    assertThat(hex(prefix.with(bytes("6162"))))
        .isEqualTo("01020304" + "00".repeat(31) + "2a" + "6162");
  }

  @Test
  void endOfAnObjectCarriesOverBytesThatAreFull() {
    assertThat(hex(prefix(1, "00".repeat(32)).end()))
        .isEqualTo("00000001" + "00".repeat(31) + "01");
    assertThat(hex(prefix(1, "00" + "ff".repeat(31)).end())).isEqualTo("0000000101");
    assertThat(hex(prefix(1, "ff".repeat(32)).end())).isEqualTo("00000002");
    assertThat(hex(prefix(0xFF, "ff".repeat(32)).end())).isEqualTo("000001");
    assertThat(hex(prefix(Integer.MAX_VALUE, "ff".repeat(32)).end())).isEqualTo("80");
  }

  @Test
  void numberOfANamespaceLeavesRoomForTheCarry() {
    assertThatIllegalArgumentException().isThrownBy(() -> prefix(0, "00".repeat(32)));
    assertThatIllegalArgumentException().isThrownBy(() -> prefix(-1, "00".repeat(32)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Keys.endOfPrefix(new byte[] {(byte) 0xFF}));
  }

  @Property
  void keysOfAnObjectAreExactlyThoseBetweenStartAndEnd(
      @ForAll @Size(32) byte[] id,
      @ForAll @Size(32) byte[] other,
      @ForAll @Size(max = 8) byte[] name) {
    ObjectPrefix prefix = new ObjectPrefix(7, new ObjectKey("n", ObjectId.of(id, null)));
    ObjectPrefix elsewhere = new ObjectPrefix(7, new ObjectKey("n", ObjectId.of(other, null)));

    assertThat(isIn(prefix, prefix.with(name))).isTrue();
    assertThat(isIn(prefix, elsewhere.with(name))).isEqualTo(Arrays.equals(id, other));
  }

  private static boolean isIn(ObjectPrefix prefix, byte[] key) {
    return Keys.ORDER.compare(key, prefix.start()) >= 0
        && Keys.ORDER.compare(key, prefix.end()) < 0;
  }

  private static ObjectPrefix prefix(int namespace, String id) {
    return new ObjectPrefix(namespace, new ObjectKey("n", ObjectId.of(bytes(id), null)));
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
