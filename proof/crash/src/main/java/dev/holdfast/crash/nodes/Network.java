package dev.holdfast.crash.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * The network between the nodes: each node has a separate address on the loopback interface, and
 * reaches each other one through a {@link Link} for each of its two ports. Nodes name each other
 * alike; a file of hosts for each node leads the names through its own links. A node that joins
 * later has an address that no other one had. Owned by one thread.
 */
final class Network implements AutoCloseable {

  /** Below the ports that the system gives to connections. */
  private static final int PORT = 17_400;

  /** How many nodes may have been in the network: each has a byte of the addresses of its links. */
  static final int NODES_MAX = 254;

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
  private final Path directory;

  /** All nodes that there ever were; the place of a node is in its addresses. */
  private final List<String> names = new ArrayList<>();

  private final Map<String, Path> hostFiles = new TreeMap<>();
  private final Map<LinkKey, Link> links = new HashMap<>();

  private Network(int network, Path directory) {
    this.network = network;
    this.directory = directory;
  }

  /**
   * Opens the links between nodes.
   *
   * @param names of the nodes
   * @param directory gets the files of hosts
   * @throws IOException if they cannot be written, or no network of the loopback interface is free
   */
  static Network open(List<String> names, Path directory) throws IOException {
    Network network = new Network(freeNetwork(names.size()), directory);
    try {
      for (String name : names) {
        network.join(name);
      }
      return network;
    } catch (IOException e) {
      network.close();
      throw e;
    }
  }

  /** Another crash test on this machine has another network. */
  private static int freeNetwork(int nodes) throws IOException {
    for (int each = NETWORK_FIRST; each <= NETWORK_LAST; each++) {
      int network = each;
      if (IntStream.rangeClosed(1, nodes).allMatch(node -> isFree(network, node))) {
        return each;
      }
    }
    throw new IOException(
        "No network from 127.%d to 127.%d has port %d free. Crash tests of a cluster need Linux."
            .formatted(NETWORK_FIRST, NETWORK_LAST, PORT));
  }

  private static boolean isFree(int network, int node) {
    for (int port = PORT; port <= PORT + 1; port++) {
      try (ServerSocket tried = new ServerSocket()) {
        tried.bind(address(network, 0, node, port));
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }

  /**
   * Adds a node: opens the links between it and those that are there.
   *
   * @param name the node; none had this name
   * @throws IOException if a file of hosts cannot be written, or an address is taken
   */
  void join(String name) throws IOException {
    names.add(name);
    for (String other : hostFiles.keySet()) {
      openLinks(name, other);
      openLinks(other, name);
    }
    hostFiles.put(name, directory.resolve(name + ".hosts"));
    for (String each : hostFiles.keySet()) {
      writeHosts(each);
    }
  }

  private void openLinks(String from, String to) throws IOException {
    for (boolean isLog : new boolean[] {false, true}) {
      int port = isLog ? PORT + 1 : PORT;
      links.put(new LinkKey(from, to, isLog), new Link(between(from, to, port), own(to, port)));
    }
  }

  /** A node that runs reads its file with each look-up, and must never see a part of it. */
  private void writeHosts(String from) throws IOException {
    List<String> hosts = new ArrayList<>();
    hosts.add("127.0.0.1 localhost");
    hosts.add("127.0.0.1 " + InetAddress.getLocalHost().getHostName());
    for (String to : names) {
      InetSocketAddress address = from.equals(to) ? own(to, PORT) : between(from, to, PORT);
      hosts.add(address.getAddress().getHostAddress() + " " + host(to));
    }
    Path written = Files.write(directory.resolve("hosts.new"), hosts);
    Files.move(written, hostFile(from), StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Takes a node out: nothing answers at its address any more.
   *
   * @param name the node
   * @throws IOException if a link cannot be closed
   */
  void leave(String name) throws IOException {
    hostFiles.remove(name);
    List<LinkKey> ended =
        links.keySet().stream()
            .filter(key -> key.from().equals(name) || key.to().equals(name))
            .toList();
    for (LinkKey key : ended) {
      Link link = links.remove(key);
      if (link != null) {
        link.close();
      }
    }
  }

  private InetSocketAddress own(String name, int port) {
    return address(network, 0, place(name), port);
  }

  private InetSocketAddress between(String from, String to, int port) {
    return address(network, place(from), place(to), port);
  }

  private int place(String name) {
    return names.indexOf(name) + 1;
  }

  private static InetSocketAddress address(int network, int third, int fourth, int port) {
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

  /** {@return the name of each node that is there, and where the others reach it} */
  Map<String, String> addresses() {
    Map<String, String> addresses = new TreeMap<>();
    hostFiles.keySet().forEach(name -> addresses.put(name, address(name)));
    return addresses;
  }

  /** {@return where the others reach a node} */
  static String address(String name) {
    return host(name) + ":" + PORT;
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
    forEach(from, to, ports, Link::block);
  }

  /** Holds back all bytes of a node for another one, each for a while. */
  void delay(String from, String to, Ports ports, Duration time) {
    forEach(from, to, ports, (link, way) -> link.delay(way, time));
  }

  /** Breaks the connections between two nodes, and those that they try. */
  void breakOff(String one, String other, Ports ports) {
    forEach(one, other, ports, (link, _) -> link.breakOff());
  }

  /** Breaks the connections between two nodes again and again, in the middle of a frame. */
  void cutEvery(String one, String other, Ports ports, int every) {
    forEach(one, other, ports, (link, _) -> link.cutEvery(every));
  }

  private void forEach(String from, String to, Ports ports, BiConsumer<Link, Link.Way> action) {
    links.forEach(
        (key, link) -> {
          if (concerns(key, ports)) {
            if (key.from().equals(from) && key.to().equals(to)) {
              action.accept(link, Link.Way.THERE);
            } else if (key.from().equals(to) && key.to().equals(from)) {
              action.accept(link, Link.Way.BACK);
            }
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
