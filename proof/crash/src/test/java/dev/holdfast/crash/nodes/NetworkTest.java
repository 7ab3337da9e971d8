package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Nodes come and go while the others are linked. */
@EnabledOnOs(OS.LINUX)
final class NetworkTest {

  @TempDir private Path directory;

  /** Where a node finds another one, or itself, by its file of hosts. */
  private static InetSocketAddress address(Network network, String from, String to)
      throws IOException {
    String[] named = Network.address(to).split(":", -1);
    String line =
        Files.readAllLines(network.hostFile(from)).stream()
            .filter(each -> each.endsWith(" " + named[0]))
            .findFirst()
            .orElseThrow();
    return new InetSocketAddress(line.split(" ", -1)[0], Integer.parseInt(named[1]));
  }

  private static void assertReached(Network network, String from, String to) throws IOException {
    try (ServerSocket server = new ServerSocket();
        Socket caller = new Socket()) {
      server.bind(address(network, to, to));
      caller.connect(address(network, from, to));
      caller.getOutputStream().write(7);
      try (Socket called = server.accept()) {
        assertThat(called.getInputStream().read()).isEqualTo(7);
      }
    }
  }

  /**
   * The system may take a connection in the moment in which its port is closed; nobody serves it.
   */
  private static boolean isServed(InetSocketAddress address) {
    try (Socket caller = new Socket()) {
      caller.connect(address);
      return caller.getInputStream().read() >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void nodeThatJoinsIsReachedAndOneThatLeavesIsNot() throws Exception {
    try (Network network = Network.open(List.of("a", "b", "c"), directory)) {
      assertThat(network.addresses()).containsOnlyKeys("a", "b", "c");
      assertReached(network, "a", "b");
      InetSocketAddress lost = address(network, "a", "b");

      network.leave("b");
      network.join("d");

      assertReached(network, "a", "d");
      assertReached(network, "d", "c");
      assertThat(network.addresses()).containsOnlyKeys("a", "c", "d");
      assertThat(address(network, "d", "d")).as("its own").isNotEqualTo(lost);
      assertThat(isServed(lost)).isFalse();
    }
  }
}
