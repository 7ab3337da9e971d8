package dev.holdfast.nodes;

import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.process.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The nodes of a cluster as processes of this machine, which are killed, paused and started again.
 * Each answers in lines. Owned by one thread.
 */
public final class LocalNodes implements AutoCloseable {

  private static final Duration LOOK = Duration.ofMillis(1);

  /** Far longer than a close may take: a node that has not ended then hangs. */
  private static final Duration END_MAX = Duration.ofMinutes(2);

  private final Path directory;
  private final int shards;
  private final Certificates.Issuer issuer;
  private final Class<?> main;
  private final List<String> more;
  private final Function<String, ChildJvm.Own> own;
  private final Map<String, NodePlace> places = new TreeMap<>();
  private final Map<String, ChildJvm> running = new TreeMap<>();

  private LocalNodes(
      Path directory,
      int shards,
      Certificates.Issuer issuer,
      Class<?> main,
      List<String> more,
      Function<String, ChildJvm.Own> own) {
    this.directory = directory;
    this.shards = shards;
    this.issuer = issuer;
    this.main = main;
    this.more = more;
    this.own = own;
  }

  /**
   * Prepares the nodes a, b, c and so on: their certificates and addresses. Starts none.
   *
   * @param directory has their directories and certificates
   * @param count how many
   * @param shards the number of shards
   * @param main the main class of a node, which takes {@link NodePlace#toArguments} first
   * @param more its further arguments
   * @return the nodes
   * @throws IOException if the certificates cannot be written
   */
  public static LocalNodes prepare(
      Path directory, int count, int shards, Class<?> main, List<String> more) throws IOException {
    Map<String, String> addresses = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      addresses.put(String.valueOf((char) ('a' + i)), "127.0.0.1:" + twoFreePorts());
    }
    return prepare(directory, addresses, shards, main, more, _ -> ChildJvm.Own.NOTHING);
  }

  /**
   * Prepares nodes with given addresses: their certificates. Starts none.
   *
   * @param directory has their directories and certificates
   * @param addresses the name of each node, and its host and port
   * @param shards the number of shards
   * @param main the main class of a node, which takes {@link NodePlace#toArguments} first
   * @param more its further arguments
   * @param own what the process of a node has beside the options of all, by its name
   * @return the nodes
   * @throws IOException if the certificates cannot be written
   */
  public static LocalNodes prepare(
      Path directory,
      Map<String, String> addresses,
      int shards,
      Class<?> main,
      List<String> more,
      Function<String, ChildJvm.Own> own)
      throws IOException {
    List<String> names = addresses.keySet().stream().sorted().toList();
    List<String> members = names.stream().map(name -> name + "=" + addresses.get(name)).toList();
    Path certificates = directory.resolve("certificates");
    Certificates.Issuer issuer =
        Certificates.Issuer.of(NodePlace.CLUSTER, Instant.now(), Duration.ofDays(30));
    issuer.write(certificates, names);
    LocalNodes nodes = new LocalNodes(directory, shards, issuer, main, List.copyOf(more), own);
    addresses.forEach((name, address) -> nodes.put(name, address, certificates, members));
    return nodes;
  }

  private void put(String name, String address, Path certificates, List<String> members) {
    places.put(
        name, new NodePlace(name, address, directory.resolve(name), certificates, shards, members));
  }

  /**
   * Prepares another node, which waits until one of the nodes of now adds it. Does not start it.
   *
   * @param name the node, which has no directory yet
   * @param address where it takes calls, as host and port
   * @return its name and address, with which a member adds it
   * @throws IOException if its certificate cannot be written
   */
  public String prepareWaiting(String name, String address) throws IOException {
    // The others read the file of the authority meanwhile: it is not written there again.
    Path certificates = directory.resolve("certificates-" + name);
    issuer.write(certificates, List.of(name));
    put(name, address, certificates, places.values().stream().map(NodePlace::member).toList());
    return place(name).member();
  }

  /**
   * Forgets a node: those that are prepared later do not have it in their lists of members.
   *
   * @param name the node, which does not run
   */
  public void forget(String name) {
    places.remove(name);
  }

  /**
   * Finds a port that is free, as is the next one.
   *
   * @return the first
   * @throws IOException if there is none
   */
  public static int twoFreePorts() throws IOException {
    while (true) {
      try (ServerSocket first = new ServerSocket()) {
        first.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        // A port of those that connections get could be taken by one before the node listens.
        int port = 10_000 + first.getLocalPort() % 20_000;
        try (ServerSocket own = new ServerSocket();
            ServerSocket next = new ServerSocket()) {
          own.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
          next.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port + 1));
          return port;
        } catch (IOException e) {
          // One is taken; another pair is not.
        }
      }
    }
  }

  /** {@return the names of all nodes} */
  public List<String> names() {
    return List.copyOf(places.keySet());
  }

  /** {@return the names of those that run, paused ones among them} */
  public List<String> running() {
    return List.copyOf(running.keySet());
  }

  /**
   * Starts the process of a node.
   *
   * @param name the node, which does not run
   */
  public void start(String name) {
    List<String> arguments = new ArrayList<>(place(name).toArguments());
    arguments.addAll(more);
    running.put(name, ChildJvm.start(own.apply(name), main, arguments));
  }

  private NodePlace place(String name) {
    NodePlace place = places.get(name);
    if (place == null) {
      throw new IllegalArgumentException("There is no node " + name);
    }
    return place;
  }

  /**
   * {@return the process of a node}
   *
   * @param name the node
   */
  public ChildJvm process(String name) {
    ChildJvm child = running.get(name);
    if (child == null) {
      throw new IllegalArgumentException("The node " + name + " does not run");
    }
    return child;
  }

  /**
   * Kills a node with SIGKILL. What it had written is still received.
   *
   * @param name the node
   * @param lines receives its last lines
   */
  public void kill(String name, BiConsumer<String, String> lines) {
    ChildJvm child = process(name);
    child.kill();
    end(name, lines);
  }

  /**
   * Waits until the process of a node has ended, and forgets it.
   *
   * @param name the node, which was asked to end
   * @param lines receives its last lines
   * @throws RunFailedException if it has not ended after two minutes; it is killed then
   */
  public void end(String name, BiConsumer<String, String> lines) {
    end(name, lines, END_MAX);
  }

  void end(String name, BiConsumer<String, String> lines, Duration max) {
    long begunNanos = System.nanoTime();
    try (ChildJvm child = process(name)) {
      while (!child.ended()) {
        child.nextLine(LOOK).ifPresent(line -> lines.accept(name, line));
        if (System.nanoTime() - begunNanos > max.toNanos() && !child.ended()) {
          throw new RunFailedException(
              "Node "
                  + name
                  + " has not ended after "
                  + max
                  + ", and was killed. If that happens again, look at its threads with jstack.");
        }
      }
      child.exitCode();
    } finally {
      running.remove(name);
    }
  }

  /**
   * Receives what the nodes have written, waiting a little.
   *
   * @param lines receives the name of the node and the line
   * @throws RunFailedException if a node has ended by itself
   */
  public void receive(BiConsumer<String, String> lines) {
    for (String name : running()) {
      ChildJvm child = process(name);
      child.nextLine(LOOK).ifPresent(line -> lines.accept(name, line));
      while (child.nextLine(Duration.ZERO).map(line -> take(name, line, lines)).orElse(false)) {
        // There may be more.
      }
      if (child.ended()) {
        throw new RunFailedException(
            "Node " + name + " has ended by itself, exit code " + child.exitCode() + ".");
      }
    }
  }

  private static boolean take(String name, String line, BiConsumer<String, String> lines) {
    lines.accept(name, line);
    return true;
  }

  /** Kills all nodes that run, at once: the others would report that each is gone. */
  @Override
  public void close() {
    running.values().forEach(ChildJvm::kill);
    running.values().forEach(ChildJvm::close);
    running.clear();
  }
}
