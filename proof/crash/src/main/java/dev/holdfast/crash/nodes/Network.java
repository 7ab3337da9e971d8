package dev.holdfast.crash.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The network between the nodes: each node has an address of its own on the loopback interface, and
 * reaches each other one through a {@link Link} for each of its two ports. All nodes have the same
 * list of members; a file of hosts for each node leads the names through its own links. Owned by
 * one thread.
 */
final class Network implements AutoCloseable {

  /** Below the ports that the system gives to connections. */
  private static final int PORT = 17_400;

  private static final int NETWORK_FIRST = 64;
  private static final int NETWORK_LAST = 126;

  /** Which ports a disturbance concerns. */
  enum Ports {
    /** Calls and the logs. */
    BOTH,
    /** Calls alone. */
    CALLS,
    /** The logs alone. */
    LOGS
  }

  private record LinkKey(String from, String to, boolean isLog) {}

  private final int network;
  private final List<String> names;
  private final Map<String, Path> hostFiles = new TreeMap<>();
  private final Map<LinkKey, Link> links = new HashMap<>();

  private Network(int network, List<String> names) {
    this.network = network;
    this.names = names;
  }

  /**
   * Opens the links between nodes.
   *
   * @param names of the nodes
   * @param directory gets the files of hosts
   * @throws IOException if they cannot be written, or no network of the loopback interface is free
   */
  static Network open(List<String> names, Path directory) throws IOException {
    Network network = new Network(freeNetwork(names), names);
    try {
      network.openAll(directory);
      return network;
    } catch (IOException e) {
      network.close();
      throw e;
    }
  }

  /** Another crash test on this machine has another network. */
  private static int freeNetwork(List<String> names) throws IOException {
    for (int each = NETWORK_FIRST; each <= NETWORK_LAST; each++) {
      Network tried = new Network(each, names);
      if (names.stream().allMatch(tried::isFree)) {
        return each;
      }
    }
    throw new IOException(
        "No network from 127.%d to 127.%d has port %d free. Crash tests of a cluster need Linux."
            .formatted(NETWORK_FIRST, NETWORK_LAST, PORT));
  }

  private boolean isFree(String name) {
    for (int port = PORT; port <= PORT + 1; port++) {
      try (ServerSocket tried = new ServerSocket()) {
        tried.bind(own(name, port));
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }

  private void openAll(Path directory) throws IOException {
    String machine = InetAddress.getLocalHost().getHostName();
    for (String from : names) {
      List<String> hosts = new ArrayList<>();
      hosts.add("127.0.0.1 localhost");
      hosts.add("127.0.0.1 " + machine);
      for (String to : names) {
        if (from.equals(to)) {
          hosts.add(own(to, PORT).getAddress().getHostAddress() + " " + host(to));
        } else {
          hosts.add(between(from, to, PORT).getAddress().getHostAddress() + " " + host(to));
          for (boolean isLog : new boolean[] {false, true}) {
            int port = isLog ? PORT + 1 : PORT;
            links.put(
                new LinkKey(from, to, isLog), new Link(between(from, to, port), own(to, port)));
          }
        }
      }
      hostFiles.put(from, Files.write(directory.resolve(from + ".hosts"), hosts));
    }
  }

  private InetSocketAddress own(String name, int port) {
    return address(0, names.indexOf(name) + 1, port);
  }

  private InetSocketAddress between(String from, String to, int port) {
    return address(names.indexOf(from) + 1, names.indexOf(to) + 1, port);
  }

  private InetSocketAddress address(int third, int fourth, int port) {
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(new byte[] {127, (byte) network, (byte) third, (byte) fourth}),
          port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String host(String name) {
    return "node-" + name + ".crash";
  }

  /** {@return the name of each node, and where the others reach it} */
  Map<String, String> addresses() {
    Map<String, String> addresses = new TreeMap<>();
    names.forEach(name -> addresses.put(name, host(name) + ":" + PORT));
    return addresses;
  }

  /** {@return the file of hosts of a node} */
  Path hostFile(String name) {
    Path file = hostFiles.get(name);
    if (file == null) {
      throw new IllegalArgumentException("There is no node " + name);
    }
    return file;
  }

  /** Keeps all bytes of a node from another one, whichever of them connected. */
  void block(String from, String to, Ports ports) {
    links.forEach(
        (key, link) -> {
          if (concerns(key, ports)) {
            if (key.from().equals(from) && key.to().equals(to)) {
              link.block(Link.Way.THERE);
            } else if (key.from().equals(to) && key.to().equals(from)) {
              link.block(Link.Way.BACK);
            }
          }
        });
  }

  /** Breaks the connections between two nodes, and those that they try. */
  void breakOff(String one, String other, Ports ports) {
    links.forEach(
        (key, link) -> {
          boolean isBetween =
              (key.from().equals(one) && key.to().equals(other))
                  || (key.from().equals(other) && key.to().equals(one));
          if (isBetween && concerns(key, ports)) {
            link.breakOff();
          }
        });
  }

  private static boolean concerns(LinkKey key, Ports ports) {
    return ports == Ports.BOTH || key.isLog() == (ports == Ports.LOGS);
  }

  /** Lets everything pass. */
  void heal() {
    links.values().forEach(Link::heal);
  }

  @Override
  public void close() throws IOException {
    for (Link each : links.values()) {
      each.close();
    }
  }
}
