package dev.holdfast.cluster.frame;

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
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.RemoteCaller;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Frames to bytes and back. Reading gives a frame or a {@link FrameException}. Stateless. */
public final class FrameCodec {

  private static final byte[] MAGIC = {'H', 'F', 'C', 'A', 'L', 'L', 'S', '!'};

  /** Kind, three bytes of zero, number. */
  static final int HEADER_BYTES = 12;

  private FrameCodec() {}

  /**
   * Writes a frame.
   *
   * @param frame the frame
   * @return its bytes, which begin with their length
   * @throws FrameException if it is longer than a frame may be, or has more parts
   */
  public static byte[] encode(Frame frame) throws FrameException {
    FrameSink sink = new FrameSink();
    sink.i32(kind(frame) << 24).i64(frame.number());
    switch (frame) {
      case Hello hello -> {
        sink.raw(MAGIC)
            .u16(hello.versionMin())
            .u16(hello.versionMax())
            .i64(hello.incarnation())
            .i64(hello.wallMillis())
            .text(hello.cluster())
            .text(hello.node().name())
            .text(hello.peer().name())
            .i64(hello.opening())
            .u16(hello.shards())
            .text(hello.members())
            .i64(hello.lineage())
            .u16(hello.entries().min())
            .u16(hello.entries().max())
            .u16(hello.entries().agreed());
        if (hello.isFirst()) {
          sink.u8(1);
        }
      }
      case Call call -> writeCall(call, sink);
      case Reply reply -> writeValue(reply.value(), sink);
      case Failure failure -> writeThrown(failure.thrown(), sink);
      case Redirect redirect -> {
        NodeId owner = redirect.owner();
        sink.u16(redirect.shard())
            .i64(redirect.epoch())
            .optional(owner == null ? null : owner.name());
      }
      case Refused refused -> sink.u8(refused.reason().code()).text(cut(refused.message()));
      case Cancel _, Ping _ -> {
        // Nothing but the header.
      }
    }
    return sink.toBytes();
  }

  private static int kind(Frame frame) {
    return switch (frame) {
      case Hello _ -> 1;
      case Call _ -> 2;
      case Reply _ -> 3;
      case Failure _ -> 4;
      case Redirect _ -> 5;
      case Refused _ -> 6;
      case Cancel _ -> 7;
      case Ping _ -> 8;
    };
  }

  private static void writeCall(Call call, FrameSink sink) throws FrameException {
    sink.text(call.namespace()).id(call.id()).text(call.method()).i64(call.timeoutNanos());
    sink.u8(atMost(Headers.COUNT_MAX, call.headers(), "headers"));
    for (Header header : call.headers()) {
      sink.text(header.name()).text(header.value()).u8(header.kept() ? 1 : 0);
    }
    sink.u8(atMost(Frame.CHAIN_MAX, call.chain(), "calls that wait for each other"));
    for (RemoteCaller each : call.chain()) {
      sink.text(each.node().name())
          .i64(each.execution())
          .text(each.namespace())
          .id(each.id())
          .u8(each.inSection() ? 1 : 0);
    }
    sink.u8(atMost(Frame.ARGUMENTS_MAX, call.arguments(), "arguments"));
    for (Value argument : call.arguments()) {
      writeValue(argument, sink);
    }
  }

  private static int atMost(int max, List<?> parts, String what) throws FrameException {
    if (parts.size() > max) {
      throw new FrameException("a call has " + parts.size() + " " + what + ", at most " + max);
    }
    return parts.size();
  }

  private static void writeValue(Value value, FrameSink sink) throws FrameException {
    switch (value) {
      case Value.Null _ -> sink.u8(0);
      case Value.Cloned cloned -> sink.u8(1).i32(cloned.bytes().length).raw(cloned.bytes());
      case Value.Id id -> sink.u8(2).id(id.id());
      case Value.Stub stub ->
          sink.u8(3).text(stub.namespace()).id(stub.id()).u8(stub.blocking() ? 1 : 0);
      case Value.Namespace namespace -> sink.u8(4).text(namespace.name());
    }
  }

  private static void writeThrown(Thrown first, FrameSink sink) throws FrameException {
    Thrown thrown = first;
    for (int depth = 1; ; depth++) {
      sink.text(thrown.className());
      sink.optional(thrown.message() == null ? null : cut(thrown.message()));
      sink.text(cut(thrown.stack()));
      sink.u8(atMost(Frame.DETAILS_MAX, thrown.details(), "details of an exception"));
      for (String detail : thrown.details()) {
        sink.text(cut(detail));
      }
      Thrown cause = thrown.cause();
      if (cause == null || depth == Frame.CAUSES_MAX) {
        sink.u8(0);
        return;
      }
      sink.u8(1);
      thrown = cause;
    }
  }

  /** A character has at most three bytes; a pair of surrogates, which may be cut, has four. */
  private static String cut(String text) {
    int charsMax = Frame.TEXT_BYTES_MAX / 3;
    return text.length() <= charsMax ? text : text.substring(0, charsMax);
  }

  /**
   * Reads a frame.
   *
   * @param bytes the frame without its length
   * @return the frame
   * @throws FrameException if the bytes are no frame
   */
  public static Frame decode(byte[] bytes) throws FrameException {
    FrameSource source = new FrameSource(bytes);
    int kind = source.i32();
    long number = source.i64();
    Frame frame =
        switch (kind) {
          case 1 << 24 -> readHello(source);
          case 2 << 24 -> readCall(number, source);
          case 3 << 24 -> new Reply(number, readValue(source));
          case 4 << 24 -> new Failure(number, readThrown(source));
          case 5 << 24 -> readRedirect(number, source);
          case 6 << 24 -> new Refused(number, RefusalReason.of(source.u8()), source.text());
          case 7 << 24 -> new Cancel(number);
          case 8 << 24 -> new Ping();
          default -> throw new FrameException("a frame has the unknown kind " + (kind >>> 24));
        };
    if (!(frame instanceof Hello)) { // a later version may say more of itself
      source.requireEnd();
    }
    boolean ofConnection = frame instanceof Hello || frame instanceof Ping;
    boolean ofEither = frame instanceof Refused;
    if (number < 0
        || (ofConnection && number != 0)
        || (number == 0 && !ofConnection && !ofEither)) {
      throw new FrameException("a frame of kind " + (kind >>> 24) + " has the number " + number);
    }
    return frame;
  }

  private static Hello readHello(FrameSource source) throws FrameException {
    if (!Arrays.equals(source.raw(MAGIC.length), MAGIC)) {
      throw new FrameException("the connection is not one of a node of a Holdfast cluster");
    }
    int versionMin = source.u16();
    int versionMax = source.u16();
    long incarnation = source.i64();
    long wallMillis = source.i64();
    return new Hello(
        versionMin,
        versionMax,
        source.text(),
        source.node(),
        incarnation,
        source.node(),
        wallMillis,
        source.i64(),
        source.u16(),
        source.text(),
        source.i64(),
        new Frame.Entries(source.u16(), source.u16(), source.u16()),
        source.hasMore() && source.flag());
  }

  private static Call readCall(long number, FrameSource source) throws FrameException {
    String namespace = source.text();
    ObjectId id = source.id();
    String method = source.text();
    long timeoutNanos = source.i64();
    if (timeoutNanos < 0) {
      throw new FrameException("a call has a negative time-out");
    }
    int headerCount = source.count(Headers.COUNT_MAX);
    List<Header> headers = new ArrayList<>(headerCount);
    for (int i = 0; i < headerCount; i++) {
      headers.add(new Header(source.text(), source.text(), source.flag()));
    }
    int chainLength = source.count(Frame.CHAIN_MAX);
    List<RemoteCaller> chain = new ArrayList<>(chainLength);
    for (int i = 0; i < chainLength; i++) {
      chain.add(
          new RemoteCaller(source.node(), source.i64(), source.text(), source.id(), source.flag()));
    }
    int argumentCount = source.u8();
    List<Value> arguments = new ArrayList<>(argumentCount);
    for (int i = 0; i < argumentCount; i++) {
      arguments.add(readValue(source));
    }
    return new Call(number, namespace, id, method, timeoutNanos, headers, chain, arguments);
  }

  private static Value readValue(FrameSource source) throws FrameException {
    int kind = source.u8();
    return switch (kind) {
      case 0 -> new Value.Null();
      case 1 -> new Value.Cloned(source.raw(source.i32()));
      case 2 -> new Value.Id(source.id());
      case 3 -> new Value.Stub(source.text(), source.id(), source.flag());
      case 4 -> new Value.Namespace(source.text());
      default -> throw new FrameException("a value has the unknown kind " + kind);
    };
  }

  private static Thrown readThrown(FrameSource source) throws FrameException {
    List<Thrown> outermostFirst = new ArrayList<>();
    do {
      if (outermostFirst.size() == Frame.CAUSES_MAX) {
        throw new FrameException("an exception has more than " + Frame.CAUSES_MAX + " causes");
      }
      String className = source.text();
      String message = source.optional();
      String stack = source.text();
      int detailCount = source.count(Frame.DETAILS_MAX);
      List<String> details = new ArrayList<>(detailCount);
      for (int i = 0; i < detailCount; i++) {
        details.add(source.text());
      }
      outermostFirst.add(new Thrown(className, message, stack, details, null));
    } while (source.flag());
    @Nullable Thrown cause = null;
    for (Thrown each : outermostFirst.reversed()) {
      cause = new Thrown(each.className(), each.message(), each.stack(), each.details(), cause);
    }
    return Objects.requireNonNull(cause);
  }

  private static Redirect readRedirect(long number, FrameSource source) throws FrameException {
    int shard = source.u16();
    long epoch = source.i64();
    String owner = source.optional();
    if (epoch < 0) {
      throw new FrameException("a redirect has a negative epoch");
    }
    return new Redirect(number, shard, epoch, owner == null ? null : FrameSource.node(owner));
  }
}
