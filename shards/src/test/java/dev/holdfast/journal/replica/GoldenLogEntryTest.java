package dev.holdfast.journal.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.journal.replica.LogEntry.Extent;
import dev.holdfast.journal.replica.LogEntry.Filler;
import dev.holdfast.journal.replica.LogEntry.Group;
import dev.holdfast.journal.replica.LogEntry.Open;
import dev.holdfast.journal.replica.LogEntry.Part;
import dev.holdfast.journal.replica.LogEntry.Place;
import dev.holdfast.journal.replica.LogEntry.Purge;
import dev.holdfast.journal.replica.LogEntry.Release;
import dev.holdfast.journal.replica.LogEntry.Retain;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.log.NodeId;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks {@link LogEntry} against {@code docs/formats/log-entry.md}. */
final class GoldenLogEntryTest {

  /**
   * An entry, and its bytes as computed from the format by other code.
   *
   * @param hex the bytes
   */
  record Golden(LogEntry entry, String hex) {

    int version() {
      return Integer.parseInt(hex, 0, 2, 16);
    }
  }

  static final List<Golden> GOLDEN =
      List.of(
          new Golden(
              new Open(0x1122334455667788L, 3, 7, 1764000000000L, 41, 1, 500, new NodeId("node-a")),
              "020100006497be4400000000000000000000003e000000001122334455667788"
                  + "000000000000000300000000000000070000019ab697e8000000000000000029"
                  + "000000000000000100000000000001f46e6f64652d61"),
          new Golden(
              new Group(
                  5,
                  42,
                  new Place(40, 4096, 65536, 1764000000001L),
                  3,
                  ByteBuffer.wrap(new byte[] {1, 2, 3, 4})),
              "020200000046eda600000000000000050000003400000000000000000000002a"
                  + "0000000000000028000000000000100000000000000100000000019ab697e801"
                  + "000000000000000301020304"),
          new Golden(
              new Group(5, 43, Place.NONE, 0, ByteBuffer.allocate(0)),
              "02020000137c527a00000000000000050000003000000000000000000000002b"
                  + "0000000000000000000000000000000000000000000000000000000000000000"
                  + "0000000000000000"),
          new Golden(
              new Part(5, 524288, ByteBuffer.wrap(new byte[] {9, 8})),
              "02030000b4a2066000000000000000050000000a000000000000000000080000" + "0908"),
          new Golden(new Release(5), "020400001786734100000000000000050000000000000000"),
          new Golden(
              new Retain(5, 40, 1764000000002L),
              "02050000b41306a1000000000000000500000010000000000000000000000028"
                  + "0000019ab697e802"),
          new Golden(
              new Purge(
                  5,
                  40,
                  6,
                  List.of(new Extent(new ObjectKey("n", ObjectId.of(new byte[32], null)), 39))),
              "0306000044311a3d00000000000000050000003b000000000000000000000028"
                  + "0000000000000006000000000000002700000000000000000000000000000000"
                  + "0000000000000000000000000000000000016e"),
          new Golden(new Filler(5, 3), "03070000670055c900000000000000050000000300000000000000"));

  @ParameterizedTest
  @FieldSource("GOLDEN")
  void entryIsWrittenByteForByteAsTheFormatSays(Golden golden) {
    ByteBuffer bytes = golden.entry().encode(golden.version());
    byte[] written = new byte[bytes.remaining()];
    bytes.get(written);
    assertThat(HexFormat.of().formatHex(written)).isEqualTo(golden.hex());
  }

  @ParameterizedTest
  @FieldSource("GOLDEN")
  void entryIsRead(Golden golden) {
    ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(golden.hex()));
    assertThat(LogEntry.decode(bytes)).isEqualTo(golden.entry());
    assertThat(bytes.remaining()).isEqualTo(golden.hex().length() / 2);
  }

  @ParameterizedTest
  @FieldSource("GOLDEN")
  void everyOtherByteIsRefused(Golden golden) {
    byte[] bytes = HexFormat.of().parseHex(golden.hex());
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] ^= 0x10;
      assertThatThrownBy(() -> LogEntry.decode(ByteBuffer.wrap(bytes)))
          .isInstanceOf(IllegalArgumentException.class);
      bytes[i] ^= 0x10;
    }
    for (int length = 0; length < bytes.length; length++) {
      ByteBuffer shorter = ByteBuffer.wrap(bytes, 0, length);
      assertThatThrownBy(() -> LogEntry.decode(shorter))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void entryOfANewerVersionSaysWhatToDo() {
    byte[] newer = HexFormat.of().parseHex("04040000a40e42cf00000000000000050000000000000000");
    assertThatThrownBy(() -> LogEntry.decode(ByteBuffer.wrap(newer)))
        .hasMessageContaining("install the version of Holdfast that the other nodes have");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-a", "A", "a.b", "a b", "\u00e4"})
  void malformedNameOfANodeIsRefused(String name) {
    assertThatThrownBy(() -> new NodeId(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got \"" + name + "\"");
  }
}
