package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a link does to the bytes of a connection. */
final class LinkTest {

  private static final byte[] FRAME = {1, 2, 3, 4, 5, 6};

  private final ServerSocket server = new ServerSocket();
  private final Socket caller = new Socket();
  private Link link;
  private Socket called;

  LinkTest() throws IOException {
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    InetSocketAddress free;
    try (ServerSocket tried = new ServerSocket()) {
      tried.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      free = (InetSocketAddress) tried.getLocalSocketAddress();
    }
    link = new Link(free, (InetSocketAddress) server.getLocalSocketAddress());
    called = new Socket();
  }

  @BeforeEach
  void connect() throws IOException {
    caller.connect(link.address());
    called.close();
    called = server.accept();
  }

  @AfterEach
  void close() throws IOException {
    caller.close();
    called.close();
    link.close();
    server.close();
  }

  @Test
  void bytesPassBothWays() throws Exception {
    caller.getOutputStream().write(FRAME);
    assertThat(called.getInputStream().readNBytes(FRAME.length)).isEqualTo(FRAME);
    called.getOutputStream().write(FRAME);
    assertThat(caller.getInputStream().readNBytes(FRAME.length)).isEqualTo(FRAME);
  }

  @Test
  void connectionIsCutInTheMiddleOfAFrame() throws Exception {
    link.cutEvery(1);
    caller.getOutputStream().write(FRAME);
    assertThat(called.getInputStream().readAllBytes()).containsExactly(1, 2, 3);
  }

  @Test
  void oneDirectionIsSlowAndTheOtherIsNot() throws Exception {
    link.delay(Link.Way.THERE, Duration.ofHours(1));
    caller.getOutputStream().write(FRAME);
    called.getOutputStream().write(FRAME);
    assertThat(caller.getInputStream().readNBytes(FRAME.length)).isEqualTo(FRAME);
    assertThat(called.getInputStream().available()).isZero();
  }

  @Test
  void slowBytesArriveWholeAndInTheirOrder() throws Exception {
    link.delay(Link.Way.THERE, Duration.ofMillis(2));
    caller.getOutputStream().write(FRAME, 0, 3);
    link.heal();
    caller.getOutputStream().write(FRAME, 3, 3);
    assertThat(called.getInputStream().readNBytes(FRAME.length)).isEqualTo(FRAME);
  }
}
