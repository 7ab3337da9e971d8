package dev.holdfast.cluster.call;

import static dev.holdfast.cluster.call.TwoNodes.A;
import static dev.holdfast.cluster.call.TwoNodes.B;
import static dev.holdfast.cluster.call.TwoNodes.options;
import static dev.holdfast.cluster.call.TwoNodes.outcome;
import static dev.holdfast.cluster.call.TwoNodes.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.call.CallOutcome.Replied;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Call;
import dev.holdfast.cluster.frame.Frame.Cancel;
import dev.holdfast.cluster.frame.Frame.Hello;
import dev.holdfast.cluster.frame.Frame.Reply;
import dev.holdfast.cluster.frame.FrameCodec;
import dev.holdfast.cluster.frame.FrameReader;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.faults.Polling;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer that breaks the rules loses its connection, and nothing else happens. */
final class HostileCallerTest {

  private static final int ROUNDS =
      "long".equals(System.getProperty("holdfast.tests")) ? 5_000 : 100;

  @TempDir private Path directory;
  private TwoNodes nodes;
  private final BlockingQueue<IncomingCall> arrived = new LinkedBlockingQueue<>();

  @BeforeEach
  void open() throws IOException {
    nodes = new TwoNodes(directory);
    nodes.optionsA = options("shop", "a", null);
    nodes.optionsB = options("shop", "b", null);
    nodes.handler = arrived::add;
    nodes.open();
  }

  @AfterEach
  void close() throws IOException {
    nodes.close();
  }

  private Socket greeted() throws IOException {
    Socket socket = connected();
    greet(socket);
    return socket;
  }

  private Socket connected() throws IOException {
    Socket socket = new Socket();
    socket.connect(nodes.b().address());
    return socket;
  }

  private static void greet(Socket socket) throws IOException {
    write(
        socket,
        new Hello(1, 1, "shop", A, 97, B, 0, 97, 1, "a,b", 0, new Frame.Entries(2, 2, 2), false));
    byte[] hello = new FrameReader(socket.getInputStream()).next(Frame.HELLO_LENGTH_MAX);
    assertThat(FrameCodec.decode(hello)).isInstanceOf(Hello.class);
  }

  private static void write(Socket socket, Frame frame) throws IOException {
    socket.getOutputStream().write(FrameCodec.encode(frame));
  }

  private static Call call(long number, Value argument) {
    return new Call(
        number, "carts", TwoNodes.ID, "m()", 0, List.of(), List.of(), List.of(argument));
  }

  /** Nothing but PING comes, and then the end. */
  private static void assertEnded(Socket socket) throws IOException {
    FrameReader reader = new FrameReader(socket.getInputStream());
    try {
      while (true) {
        assertThat(FrameCodec.decode(reader.next(Frame.LENGTH_MAX))).isEqualTo(new Frame.Ping());
      }
    } catch (EOFException | SocketException e) {
      assertThat(e).isNotNull();
    }
  }

  private void assertBroken(Frame... frames) throws IOException {
    try (Socket socket = greeted()) {
      for (Frame frame : frames) {
        write(socket, frame);
      }
      assertEnded(socket);
    }
  }

  @Test
  void moreCallsThanTheWindowEndTheConnection() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(Window.CALLS_MAX);
    nodes.handler =
        call -> {
          arrived.add(call);
          call.onCancel(cancelled::countDown);
        };
    try (Socket socket = greeted()) {
      for (int i = 1; i <= Window.CALLS_MAX + 1; i++) {
        write(socket, call(i, new Value.Null()));
      }
      assertEnded(socket);
    }
    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(arrived.size()).isEqualTo(Window.CALLS_MAX);
  }

  @Test
  void longerCallsThanTheWindowEndTheConnection() throws Exception {
    Value half = TwoNodes.bytes(Window.BYTES_MAX / 2);

    assertBroken(call(1, half), call(2, half));

    assertThat(arrived).hasSize(1);
  }

  @Test
  void callsWhoseAnswersAreNotReadStayInTheWindow() throws Exception {
    Value half = TwoNodes.bytes(Window.BYTES_MAX / 2);
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    List<Thread> answering = new CopyOnWriteArrayList<>();
    nodes.handler =
        call -> {
          seen.add("call " + call.number());
          if (call.number() == 1) {
            call.onCancel(() -> seen.add("end"));
          } else {
            answering.add(Thread.startVirtualThread(() -> call.reply(half)));
          }
        };
    try (Socket socket = greeted()) {
      write(socket, call(1, new Value.Null())); // shows the end
      for (int i = 2; i <= 3; i++) { // the socket is full, and the answers that may wait
        write(socket, call(i, new Value.Null()));
      }
      write(socket, call(4, half)); // has no room for its answer
      while (answering.size() < 3 || answering.getLast().getState() != Thread.State.WAITING) {
        Polling.pause();
      }
      write(socket, call(5, half));

      for (int i = 1; i <= 4; i++) {
        assertThat(TwoNodes.next(seen)).isEqualTo("call " + i);
      }
      assertThat(TwoNodes.next(seen)).isEqualTo("end");
    }
  }

  @Test
  void refusalFitsIntoTheFirstFrame() throws Exception {
    String members = "a,b,c,".repeat(155) + "d";
    try (Socket socket = connected()) {
      write(
          socket,
          new Hello(
              1, 1, "shop", A, 97, B, 0, 97, 1, members, 0, new Frame.Entries(2, 2, 2), false));
      byte[] answer = new FrameReader(socket.getInputStream()).next(Frame.HELLO_LENGTH_MAX);

      assertThat(FrameCodec.decode(answer))
          .isInstanceOfSatisfying(
              Frame.Refused.class,
              refused -> {
                assertThat(refused.reason()).isEqualTo(RefusalReason.MEMBERS);
                assertThat(refused.message()).contains("has the members a,b,c,a,b,c");
              });
    }
  }

  @Test
  void framesInTheWrongDirectionOrOrderEndTheConnection() throws Exception {
    assertBroken(new Reply(1, new Value.Null()));
    assertBroken(
        new Hello(1, 1, "shop", A, 97, B, 0, 97, 1, "a,b", 0, new Frame.Entries(2, 2, 2), false));
    assertBroken(call(2, new Value.Null()));
    assertBroken(call(1, new Value.Null()), call(1, new Value.Null()));
    assertBroken(new Cancel(1));
  }

  @Test
  void lengthThatNoFrameHasEndsTheConnection() throws Exception {
    try (Socket socket = greeted()) {
      socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(Frame.LENGTH_MAX + 1).array());
      assertEnded(socket);
    }
  }

  @Test
  void newConnectionOfANodeReplacesTheEarlierOne() throws Exception {
    try (Socket first = greeted();
        Socket second = greeted()) {
      assertEnded(first);
      write(second, call(1, new Value.Null()));
      assertThat(TwoNodes.next(arrived).number()).isEqualTo(1);
    }
  }

  @Test
  void greetingThatEndsLateDoesNotReplaceALaterConnection() throws Exception {
    try (Socket first = connected();
        Socket second = greeted()) {
      greet(first);
      assertEnded(first);
      write(second, call(1, new Value.Null()));
      assertThat(TwoNodes.next(arrived).number()).isEqualTo(1);
    }
  }

  @Test
  void connectionsWithoutAGreetingKeepNoMemberOut() throws Exception {
    nodes.handler = call -> call.reply(value("fine"));
    List<Socket> silent = new CopyOnWriteArrayList<>();
    try {
      for (int i = 0; i < 65; i++) {
        silent.add(connected());
      }
      assertEnded(silent.getFirst());
      greet(silent.get(1));
      assertThat(outcome(nodes.send(value(1)))).isEqualTo(new Replied(value("fine")));
    } finally {
      for (Socket each : silent) {
        each.close();
      }
    }
  }

  @Test
  void randomBytesHarmNobodyElse() throws Exception {
    nodes.handler = call -> call.reply(value("fine"));
    Random random = new Random(7);
    for (int round = 0; round < ROUNDS; round++) {
      try (Socket socket = greeted()) {
        OutputStream out = socket.getOutputStream();
        byte[] frame = FrameCodec.encode(call(1, value("x".repeat(random.nextInt(50)))));
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
          frame[4 + random.nextInt(frame.length - 4)] = (byte) random.nextInt();
        }
        out.write(frame);
        byte[] noise = new byte[random.nextInt(100)];
        random.nextBytes(noise);
        out.write(noise);
      } catch (SocketException e) {
        // The other side was faster to end it.
        assertThat(e).isNotNull();
      }
    }
    assertThat(outcome(nodes.send(value(1)))).isEqualTo(new Replied(value("fine")));
  }
}
