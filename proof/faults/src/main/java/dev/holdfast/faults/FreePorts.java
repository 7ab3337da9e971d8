package dev.holdfast.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Ports of the loopback address for processes that are given their port. They are below those that
 * connections get, so no connection takes one before it is used.
 */
public final class FreePorts {

  private static final int FIRST = 10_000;
  private static final int COUNT = 20_000;

  private FreePorts() {}

  /**
   * Finds ports, each free together with the next one.
   *
   * @param count how many
   * @return the ports; no two of the pairs have a port in common
   * @throws IOException if the machine gives no port at all
   */
  public static List<Integer> pairs(int count) throws IOException {
    List<Integer> found = new ArrayList<>();
    List<ServerSocket> held = new ArrayList<>(); // until all are found, so that they differ
    try {
      while (found.size() < count) {
        int port = any();
        try {
          held.add(bound(port));
          held.add(bound(port + 1));
          found.add(port);
        } catch (IOException e) {
          // One is taken; another pair is not.
        }
      }
      return List.copyOf(found);
    } finally {
      for (ServerSocket each : held) {
        each.close();
      }
    }
  }

  /** The machine chooses, so processes that ask at once get different ones. */
  private static int any() throws IOException {
    try (ServerSocket chosen = bound(0)) {
      return FIRST + chosen.getLocalPort() % COUNT;
    }
  }

  private static ServerSocket bound(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
