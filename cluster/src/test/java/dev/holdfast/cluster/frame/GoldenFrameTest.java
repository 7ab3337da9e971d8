package dev.holdfast.cluster.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.frame.Frame.Call;
import dev.holdfast.cluster.frame.Frame.Cancel;
import dev.holdfast.cluster.frame.Frame.Failure;
import dev.holdfast.cluster.frame.Frame.Header;
import dev.holdfast.cluster.frame.Frame.Hello;
import dev.holdfast.cluster.frame.Frame.Ping;
import dev.holdfast.cluster.frame.Frame.Redirect;
import dev.holdfast.cluster.frame.Frame.Refused;
import dev.holdfast.cluster.frame.Frame.Reply;
import dev.holdfast.cluster.frame.Frame.Thrown;
import dev.holdfast.runtime.RemoteCaller;
import dev.holdfast.spi.log.NodeId;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Checks {@link FrameCodec} against {@code docs/formats/call-protocol.md}. */
final class GoldenFrameTest {

  /**
   * A frame, and its bytes as computed from the format by other code.
   *
   * @param hex the bytes
   */
  record Golden(Frame frame, String hex) {}

  private static final NodeId A = new NodeId("a");

  /** The bytes 0 to 31. */
  private static ObjectId id(@Nullable String name) {
    byte[] bytes = new byte[ObjectId.LENGTH_BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    return ObjectId.of(bytes, name);
  }

  static final List<Golden> GOLDEN =
      List.of(
          new Golden(
              new Hello(
                  1,
                  1,
                  "shop",
                  A,
                  7,
                  new NodeId("b"),
                  1764000000000L,
                  9,
                  6,
                  "a,b",
                  258,
                  new Frame.Entries(1, 2, 1),
                  false),
              "00000051010000000000000000000000484643414c4c53210001000100000000000000070000019a"
                  + "b697e800000473686f70000161000162000000000000000900060003612c620000000000000102000100020001"),
          new Golden(
              new Hello(
                  1,
                  1,
                  "shop",
                  A,
                  7,
                  new NodeId("b"),
                  1764000000000L,
                  9,
                  6,
                  "a,b",
                  258,
                  new Frame.Entries(1, 2, 1),
                  /* isFirst= */ true),
              "00000052010000000000000000000000484643414c4c53210001000100000000000000070000019a"
                  + "b697e800000473686f70000161000162000000000000000900060003612c62000000000000010200010002000101"),
          new Golden(
              new Hello(
                  1,
                  1,
                  "shop",
                  new NodeId("web"),
                  -2,
                  new NodeId("b"),
                  1764000000000L,
                  0,
                  0,
                  "",
                  -1,
                  new Frame.Entries(1, 2, 1),
                  false),
              "00000050010000000000000000000000484643414c4c532100010001fffffffffffffffe0000019a"
                  + "b697e800000473686f700003776562000162000000000000000000000000ffffffffffffffff0001"
                  + "00020001"),
          new Golden(
              new Call(
                  5,
                  "orders",
                  id("17"),
                  "add(java.lang.String,int)",
                  1_500_000_000,
                  List.of(new Header("x-tenant", "\u00e9", true)),
                  List.of(new RemoteCaller(A, 99, "carts", id(null), true)),
                  List.of(
                      new Value.Null(),
                      new Value.Cloned(new byte[] {(byte) 255, 15, 48}),
                      new Value.Id(id(null)),
                      new Value.Stub("carts", id(null), true),
                      new Value.Namespace("carts"))),
              "000000ff02000000000000000000000500066f7264657273000102030405060708090a0b0c0d0e0f"
                  + "101112131415161718191a1b1c1d1e1f01000231370019616464286a6176612e6c616e672e537472"
                  + "696e672c696e74290000000059682f00010008782d74656e616e740002c3a9010100016100000000"
                  + "0000006300056361727473000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c"
                  + "1d1e1f000105000100000003ff0f3002000102030405060708090a0b0c0d0e0f1011121314151617"
                  + "18191a1b1c1d1e1f000300056361727473000102030405060708090a0b0c0d0e0f10111213141516"
                  + "1718191a1b1c1d1e1f00010400056361727473"),
          new Golden(
              new Reply(5, new Value.Cloned(new byte[] {(byte) 255, 15, 95})),
              "000000140300000000000000000000050100000003ff0f5f"),
          new Golden(
              new Failure(
                  5,
                  new Thrown(
                      "com.example.NoMoney",
                      "too poor",
                      "\tat Account.take",
                      List.of(),
                      new Thrown("java.lang.IllegalStateException", null, "", List.of("d"), null))),
              "000000690400000000000000000000050013636f6d2e6578616d706c652e4e6f4d6f6e6579010008"
                  + "746f6f20706f6f720010096174204163636f756e742e74616b650001001f6a6176612e6c616e672e"
                  + "496c6c6567616c5374617465457863657074696f6e0000000100016400"),
          new Golden(
              new Redirect(5, 3, 42, new NodeId("c")),
              "0000001a0500000000000000000000050003000000000000002a01000163"),
          new Golden(
              new Redirect(5, 3, 0, null),
              "000000170500000000000000000000050003000000000000000000"),
          new Golden(
              new Refused(5, RefusalReason.DRAINING, "Try later."),
              "0000001906000000000000000000000510000a547279206c617465722e"),
          new Golden(new Cancel(5), "0000000c070000000000000000000005"),
          new Golden(new Ping(), "0000000c080000000000000000000000"));

  @ParameterizedTest
  @FieldSource("GOLDEN")
  void frameIsWrittenByteForByteAsTheFormatSays(Golden golden) throws Exception {
    byte[] written = FrameCodec.encode(golden.frame());

    assertThat(HexFormat.of().formatHex(written)).isEqualTo(golden.hex());
  }

  @ParameterizedTest
  @FieldSource("GOLDEN")
  void frameIsRead(Golden golden) throws Exception {
    byte[] bytes = HexFormat.of().parseHex(golden.hex());
    FrameReader reader = new FrameReader(new ByteArrayInputStream(bytes));

    assertThat(FrameCodec.decode(reader.next(Frame.LENGTH_MAX))).isEqualTo(golden.frame());
    assertThatThrownBy(() -> reader.next(Frame.LENGTH_MAX)).isInstanceOf(EOFException.class);
  }

  @ParameterizedTest
  @FieldSource("GOLDEN")
  void everyShorterOrLongerFrameIsRefused(Golden golden) throws Exception {
    byte[] bytes = HexFormat.of().parseHex(golden.hex());
    // A later version may say more of itself.
    boolean mayBeLonger = golden.frame() instanceof Hello;
    int shortest = bytes.length - (golden.frame() instanceof Hello said && said.isFirst() ? 1 : 0);
    for (int length = 4; length <= bytes.length + (mayBeLonger ? 0 : 1); length++) {
      if (length != bytes.length && length != shortest) {
        byte[] other = Arrays.copyOfRange(bytes, 4, length);
        assertThatThrownBy(() -> FrameCodec.decode(other)).isInstanceOf(FrameException.class);
      }
    }
  }

  @Test
  void unknownKindIsRefused() {
    assertThatThrownBy(() -> FrameCodec.decode(HexFormat.of().parseHex("20" + "00".repeat(11))))
        .isInstanceOf(FrameException.class)
        .hasMessage("a frame has the unknown kind 32");
  }

  @Test
  void connectionOfSomethingElseIsRefused() {
    byte[] request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    assertThatThrownBy(
            () -> new FrameReader(new ByteArrayInputStream(request)).next(Frame.HELLO_LENGTH_MAX))
        .isInstanceOf(FrameException.class)
        .hasMessageContaining("states a length of");
  }
}
