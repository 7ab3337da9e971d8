package dev.holdfast.cluster.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.holdfast.ObjectId;
import dev.holdfast.cluster.frame.Frame.Call;
import dev.holdfast.cluster.frame.Frame.Failure;
import dev.holdfast.cluster.frame.Frame.Header;
import dev.holdfast.cluster.frame.Frame.Reply;
import dev.holdfast.cluster.frame.Frame.Thrown;
import dev.holdfast.runtime.RemoteCaller;
import dev.holdfast.spi.log.NodeId;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/** Whatever bytes come, there is a frame or the exception of the protocol, in little memory. */
final class FrameFuzzTest {

  private static final int TRIES = "long".equals(System.getProperty("holdfast.tests")) ? 300 : 3;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /**
   * A byte of a frame becomes at most the parts of an empty exception or header; plus what a
   * decoder and the exception take.
   */
  private static void decode(byte[] bytes) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      Frame frame = FrameCodec.decode(bytes);
      assertThat(FrameCodec.decode(withoutLength(FrameCodec.encode(frame)))).isEqualTo(frame);
    } catch (FrameException e) {
      assertThat(e).hasMessageMatching("(?s)(an?|the) .*");
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(1_000_000 + 200L * bytes.length);
  }

  private static byte[] withoutLength(byte[] frame) {
    return Arrays.copyOfRange(frame, 4, frame.length);
  }

  @Property(tries = 2_000)
  void randomBytesAreAFrameOrRefused(@ForAll @Size(max = 200) byte[] bytes) {
    decode(bytes);
    for (int kind = 1; kind <= 8 && bytes.length >= 12; kind++) {
      bytes[0] = (byte) kind;
      Arrays.fill(bytes, 1, 4, (byte) 0);
      decode(bytes);
    }
  }

  @Property(tries = 60)
  void mutatedFramesAreAFrameOrRefused(@ForAll long seed) {
    Random random = new Random(seed);
    for (GoldenFrameTest.Golden golden : GoldenFrameTest.GOLDEN) {
      byte[] bytes = withoutLength(HexFormat.of().parseHex(golden.hex()));
      for (int i = 0; i < TRIES * 10; i++) {
        byte[] mutated = bytes.clone();
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
          mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
        }
        decode(mutated);
        decode(Arrays.copyOf(mutated, random.nextInt(mutated.length)));
      }
    }
  }

  @Property(tries = 300)
  void framesAreReadAsTheyWereWritten(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    Frame frame =
        switch (random.nextInt(3)) {
          case 0 -> call(random);
          case 1 -> new Reply(1 + random.nextInt(99), value(random));
          default -> new Failure(Long.MAX_VALUE, thrown(random, random.nextInt(Frame.CAUSES_MAX)));
        };
    byte[] bytes = FrameCodec.encode(frame);

    FrameReader reader = new FrameReader(new OneByteAtATime(bytes, random));
    assertThat(FrameCodec.decode(reader.next(Frame.LENGTH_MAX))).isEqualTo(frame);
  }

  private static Call call(Random random) {
    List<Header> headers = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      headers.add(new Header("h" + i, text(random), random.nextBoolean()));
    }
    List<RemoteCaller> chain = new ArrayList<>();
    for (int i = random.nextInt(Frame.CHAIN_MAX + 1); i > 0; i--) {
      NodeId node = new NodeId("n" + i);
      chain.add(new RemoteCaller(node, random.nextLong(), "n", id(random), random.nextBoolean()));
    }
    List<Value> arguments = new ArrayList<>();
    for (int i = random.nextInt(Frame.ARGUMENTS_MAX + 1); i > 0; i--) {
      arguments.add(value(random));
    }
    return new Call(
        1, text(random), id(random), text(random), random.nextInt(99), headers, chain, arguments);
  }

  private static Value value(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> new Value.Null();
      case 1 -> {
        byte[] bytes = new byte[random.nextInt(30_000)];
        random.nextBytes(bytes);
        yield new Value.Cloned(bytes);
      }
      case 2 -> new Value.Id(id(random));
      case 3 -> new Value.Stub(text(random), id(random), random.nextBoolean());
      default -> new Value.Namespace(text(random));
    };
  }

  private static Thrown thrown(Random random, int causes) {
    @Nullable Thrown cause = causes == 0 ? null : thrown(random, causes - 1);
    return new Thrown(
        text(random), random.nextBoolean() ? text(random) : null, text(random), List.of(), cause);
  }

  private static ObjectId id(Random random) {
    byte[] bytes = new byte[ObjectId.LENGTH_BYTES];
    random.nextBytes(bytes);
    return ObjectId.of(bytes, random.nextBoolean() ? text(random) : null);
  }

  private static String text(Random random) {
    return random.nextBoolean() ? "" : "ä€\ud83d\ude00" + random.nextInt();
  }

  /** Gives as few bytes as a socket may. */
  private static final class OneByteAtATime extends InputStream {

    private final InputStream in;
    private final Random random;

    OneByteAtATime(byte[] bytes, Random random) {
      this.in = new ByteArrayInputStream(bytes);
      this.random = random;
    }

    @Override
    public int read() throws IOException {
      return in.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return in.read(target, offset, Math.min(length, 1 + random.nextInt(5_000)));
    }
  }

  @Example
  void lengthAloneAllocatesNothing() {
    byte[] claim = HexFormat.of().parseHex("04000000" + "02000000");
    FrameReader reader = new FrameReader(new ByteArrayInputStream(claim));
    long before = THREADS.getCurrentThreadAllocatedBytes();

    assertThatThrownBy(() -> reader.next(Frame.LENGTH_MAX)).isInstanceOf(EOFException.class);

    assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(1 << 20);
  }

  @Example
  void longerFrameThanMayBeIsRefusedOnBothSides() {
    FrameReader reader =
        new FrameReader(new ByteArrayInputStream(HexFormat.of().parseHex("04000001")));
    assertThatThrownBy(() -> reader.next(Frame.LENGTH_MAX))
        .isInstanceOf(FrameException.class)
        .hasMessage("a frame states a length of 67108865 bytes, where 12 to 67108864 may be");
    FrameReader shorter =
        new FrameReader(new ByteArrayInputStream(HexFormat.of().parseHex("0000000b")));
    assertThatThrownBy(() -> shorter.next(Frame.LENGTH_MAX)).isInstanceOf(FrameException.class);

    Reply longest = new Reply(1, new Value.Cloned(new byte[Frame.LENGTH_MAX - 12 - 5]));
    assertThatThrownBy(
            () ->
                FrameCodec.encode(
                    new Reply(1, new Value.Cloned(new byte[Frame.LENGTH_MAX - 12 - 4]))))
        .isInstanceOf(FrameException.class)
        .hasMessageContaining("more than 67108864 bytes");
    assertThat(encodedLength(longest)).isEqualTo(Frame.LENGTH_MAX + 4);
  }

  private static int encodedLength(Frame frame) {
    try {
      return FrameCodec.encode(frame).length;
    } catch (FrameException e) {
      throw new AssertionError(e);
    }
  }

  @Example
  void longMessagesOfExceptionsAreCut() throws IOException {
    String message = "\ud83d\ude00".repeat(40_000);
    Thrown endless = new Thrown("E", message, message, List.of(message), null);
    for (int i = 0; i < 40; i++) {
      endless = new Thrown("E", message, message, List.of(), endless);
    }

    Failure read =
        (Failure) FrameCodec.decode(withoutLength(FrameCodec.encode(new Failure(1, endless))));

    assertThat(read.thrown().message()).hasSizeBetween(20_000, 21_846).startsWith("\ud83d\ude00");
    int causes = 0;
    for (Thrown each = read.thrown(); each != null; each = each.cause()) {
      causes++;
    }
    assertThat(causes).isEqualTo(Frame.CAUSES_MAX);
  }
}
