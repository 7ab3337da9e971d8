package dev.holdfast.cluster.call;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.frame.Frame.Call;
import dev.holdfast.cluster.frame.Frame.Hello;
import dev.holdfast.cluster.frame.FrameCodec;
import dev.holdfast.cluster.frame.FrameException;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * This node's end of all connections for calls: one to each node that it calls, opened with the
 * first call and again after it was lost, and one from each node that calls it. A client has those
 * that it opens, and no other. Thread-safe.
 */
public final class CallEndpoint implements AutoCloseable, CallTransport {

  /** How many connections may be at their beginning: their other side is not known yet. */
  private static final int UNKNOWN_MAX = 64;

  private static final int BACKLOG = 64;

  private static final long ACCEPT_PAUSE_NANOS = 50_000_000;

  private static final long CLOCKS_APART_MILLIS_MAX = 5_000;

  private final EndpointOptions options;
  private final TimeSource time;
  private final CallHandler handler;
  private final CallEvents events;
  private final Handshake handshake;
  private final @Nullable TlsContext tls;
  private final @Nullable ServerSocket server; // null for a client

  private final CompletableFuture<Void> closing = new CompletableFuture<>();

  /** When no connection is accepted any more; a client accepts none. */
  private final CompletableFuture<Void> acceptingEnded = new CompletableFuture<>();

  private final ReentrantLock lock = new ReentrantLock();

  /** Written with the lock. */
  private final Map<NodeId, OutgoingLink> outgoing = new ConcurrentHashMap<>();

  /** Calls connect these; the others are met first. */
  private final Set<NodeId> hadSameTime = ConcurrentHashMap.newKeySet();

  // Guarded by lock.
  private final Map<Caller, Accepted> incoming = new HashMap<>();
  private final Set<Socket> unknown = new LinkedHashSet<>();
  private boolean isClosed;

  /**
   * What calls this node.
   *
   * @param client a random number of a process, if it is a client: several may have one name; 0 of
   *     a member
   */
  private record Caller(NodeId node, long client) {

    static Caller of(Hello hello) {
      return new Caller(hello.node(), hello.isClient() ? hello.incarnation() : 0);
    }
  }

  /** A connection from another node, and its place in the order in which all were accepted. */
  private record Accepted(long number, IncomingLink link) {}

  private CallEndpoint(
      EndpointOptions options,
      TimeSource time,
      CallHandler handler,
      CallEvents events,
      Handshake handshake,
      @Nullable TlsContext tls,
      @Nullable ServerSocket server) {
    this.options = options;
    this.time = time;
    this.handler = handler;
    this.events = events;
    this.handshake = handshake;
    this.tls = tls;
    this.server = server;
  }

  /**
   * Opens this node's end, and takes calls.
   *
   * @param options what this node says of itself
   * @param members the members of the cluster
   * @param time the clock
   * @param handler takes calls
   * @param events is given what happens to connections
   * @return the endpoint
   * @throws ClusterException if the certificates cannot be used, the address is not one of this
   *     machine and there are none, or the address is taken
   */
  public static CallEndpoint open(
      EndpointOptions options,
      Members members,
      TimeSource time,
      CallHandler handler,
      CallEvents events) {
    InetSocketAddress address =
        Objects.requireNonNull(options.address(), "a node takes calls somewhere");
    if (options.tls() == null && !options.plaintextOnAnyNetwork()) {
      requireOfThisMachine(options.node(), address);
    }
    TlsContext tls = tls(options, time, events);
    ServerSocket server = listen(options.node(), address);
    CallEndpoint endpoint =
        new CallEndpoint(
            options,
            time,
            handler,
            events,
            new Handshake(options, tls, members, time),
            tls,
            server);
    Thread.ofVirtual()
        .name("holdfast-call-accept")
        .start(
            () -> {
              try {
                endpoint.acceptAll(server);
              } finally {
                endpoint.acceptingEnded.complete(null);
              }
            });
    return endpoint;
  }

  /**
   * Opens the end of a client, which takes no calls.
   *
   * @param options what the client says of itself
   * @param members the members of the cluster
   * @param time the clock
   * @param events is given what happens to connections
   * @return the endpoint
   * @throws ClusterException if the certificates cannot be used
   */
  public static CallEndpoint ofClient(
      EndpointOptions options, Members members, TimeSource time, CallEvents events) {
    TlsContext tls = tls(options, time, events);
    return new CallEndpoint(
        options,
        time,
        call -> {
          throw new IllegalStateException("A client takes no calls.");
        },
        events,
        new Handshake(options, tls, members, time),
        tls,
        /* server= */ null);
  }

  private static @Nullable TlsContext tls(
      EndpointOptions options, TimeSource time, CallEvents events) {
    TlsFiles files = options.tls();
    return files == null ? null : new TlsContext(files, time, events::certificatesUnusable);
  }

  /**
   * Looks whether a node may do without certificates.
   *
   * @param node the node
   * @param address where it takes calls
   * @throws ClusterException if other machines reach it there
   */
  public static void requireOfThisMachine(NodeId node, InetSocketAddress address) {
    if (!Handshake.isOfThisMachine(address.getAddress())) {
      throw new ClusterException(
          Reason.PLAINTEXT,
          "Node "
              + node
              + " takes calls at "
              + address
              + ", which other machines reach, without certificates. Give it certificates, or an"
              + " address of the loopback interface.",
          null);
    }
  }

  /**
   * Looks whether a node can listen at an address. Closes it again.
   *
   * @param node the node
   * @param address where it is to listen
   * @throws ClusterException if it cannot
   */
  public static void requireFree(NodeId node, InetSocketAddress address) {
    closeQuietly(listen(node, address));
  }

  private static ServerSocket listen(NodeId node, InetSocketAddress address) {
    ServerSocket server = null;
    try {
      server = new ServerSocket();
      server.setReuseAddress(true);
      server.bind(address, BACKLOG);
      return server;
    } catch (IOException e) {
      closeQuietly(server);
      throw new ClusterException(
          Reason.UNREACHABLE,
          "Node "
              + node
              + " cannot listen at "
              + address
              + ": "
              + e.getMessage()
              + ". Choose an address of this machine and a port that is free.",
          e);
    }
  }

  private static void closeQuietly(@Nullable ServerSocket server) {
    if (server != null) {
      try {
        server.close();
      } catch (IOException e) {
        // The descriptor is released in any case.
      }
    }
  }

  /** {@return where this node, which is not a client, takes calls} */
  public InetSocketAddress address() {
    return (InetSocketAddress)
        Objects.requireNonNull(server, "a client takes no calls").getLocalSocketAddress();
  }

  private void acceptAll(ServerSocket server) {
    long accepted = 0;
    while (true) {
      long number = ++accepted;
      Socket tcp;
      try {
        tcp = server.accept();
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
        events.refused(ConnectionErrors.lost("a caller that could not be accepted", e));
        // Such as too many open files: another moment may be better.
        CompletableFuture<Void> later = new CompletableFuture<>();
        time.schedule(ACCEPT_PAUSE_NANOS, () -> later.complete(null));
        CompletableFuture.anyOf(later, closing).join();
        continue;
      }
      Socket tooMuch = beginning(tcp);
      if (tooMuch != null) {
        Wire.close(tooMuch);
        events.refused(
            new ClusterException(
                Reason.PROTOCOL,
                "More than "
                    + UNKNOWN_MAX
                    + " connections are at their beginning; the first of those from "
                    + tooMuch.getInetAddress()
                    + ", which has the most, was ended. Look for what opens them.",
                null));
      }
      Thread.ofVirtual().name("holdfast-call-reader").start(() -> greet(number, tcp));
    }
  }

  /**
   * A connection is at its beginning.
   *
   * @return one that is to end, if there are too many: the first of the address that has the most,
   *     so that a stranger at another address keeps no member out
   */
  private @Nullable Socket beginning(Socket tcp) {
    lock.lock();
    try {
      if (isClosed) {
        Wire.close(tcp);
        return null;
      }
      unknown.add(tcp);
      if (unknown.size() <= UNKNOWN_MAX) {
        return null;
      }
      Map<InetAddress, List<Socket>> byAddress =
          unknown.stream()
              .collect(
                  Collectors.groupingBy(
                      Socket::getInetAddress, LinkedHashMap::new, Collectors.toList()));
      Socket first =
          Collections.max(byAddress.values(), Comparator.comparingInt(List::size)).getFirst();
      unknown.remove(first);
      return first;
    } finally {
      lock.unlock();
    }
  }

  private void greet(long number, Socket tcp) {
    Handshake.Established established;
    try {
      established = handshake.accept(tcp);
    } catch (ClusterException e) {
      forget(tcp);
      events.refused(e);
      return;
    } catch (RuntimeException | Error e) {
      forget(tcp);
      throw e;
    }
    NodeId peer = established.hello().node();
    Caller caller = Caller.of(established.hello());
    IncomingLink link = new IncomingLink(established.hello(), options, time, handler, events);
    Accepted current = new Accepted(number, link);
    Accepted earlier;
    lock.lock();
    try {
      unknown.remove(tcp);
      earlier = incoming.get(caller);
      // Greetings end in any order: the connection that was accepted last is in use, or none is.
      boolean isLate = earlier != null && earlier.number() > number;
      if (isClosed || isLate) {
        established.wire().close();
        return;
      }
      incoming.put(caller, current);
    } finally {
      lock.unlock();
    }
    if (earlier != null) {
      earlier
          .link()
          .end(
              new ClusterException(
                  Reason.CONNECTION_LOST, "Node " + peer + " has opened a new connection.", null));
    }
    events.connected(peer, /* outgoing= */ false, clockAheadMillis(established));
    link.run(established.wire());
    lock.lock();
    try {
      incoming.remove(caller, current);
    } finally {
      lock.unlock();
    }
  }

  private void forget(Socket tcp) {
    lock.lock();
    try {
      unknown.remove(tcp);
    } finally {
      lock.unlock();
    }
  }

  private long clockAheadMillis(Handshake.Established established) {
    return established.hello().wallMillis() - time.wallMillis();
  }

  @Override
  public PendingCall send(NodeId node, CallUnderWay call, long timeoutNanos) {
    byte[] frame = encoded(call, timeoutNanos);
    while (true) {
      OutgoingLink link;
      boolean isNew = false;
      lock.lock();
      try {
        if (isClosed) {
          return PendingCall.done(new CallOutcome.NotSent(closed()));
        }
        link = outgoing.get(node);
        if (link == null || link.hasEnded()) {
          link = new OutgoingLink(node, options, time, events);
          outgoing.put(node, link);
          isNew = true;
        }
      } finally {
        lock.unlock();
      }
      PendingCall sent = link.send(frame);
      if (isNew) {
        OutgoingLink opened = link;
        Thread.ofVirtual().name("holdfast-call-reader-" + node).start(() -> connect(node, opened));
      }
      if (sent != null) {
        return sent;
      }
      // It has ended between the two; a new one is next.
    }
  }

  private static byte[] encoded(CallUnderWay call, long timeoutNanos) {
    try {
      return FrameCodec.encode(
          new Call(
              1,
              call.namespace(),
              call.id(),
              call.method(),
              timeoutNanos,
              call.headers(),
              call.chain(),
              call.arguments()));
    } catch (FrameException e) {
      throw new UncopyableValueException(
          call.namespace(),
          call.id(),
          "The call cannot travel to another node: " + e.getMessage() + ". Pass less at once.",
          e);
    }
  }

  private void connect(NodeId node, OutgoingLink link) {
    Handshake.Established established;
    try {
      established = establish(node, link, hadSameTime.contains(node));
    } catch (ClusterException e) {
      return; // the link has ended with it, and with it the calls
    }
    if (!link.hasEnded()) {
      events.connected(node, /* outgoing= */ true, clockAheadMillis(established));
    }
    link.run(established.wire());
  }

  /**
   * Connects a link, or ends it.
   *
   * @param mayBeApart whether the clocks may differ
   */
  private Handshake.Established establish(NodeId node, OutgoingLink link, boolean mayBeApart) {
    try {
      long before = time.wallMillis();
      Handshake.Established established = handshake.open(new Socket(), node);
      // Alarms are due by the clocks of members; nothing of the cluster depends on a client's.
      ClusterException apart = options.isClient() ? null : clocksApart(node, established, before);
      if (apart != null && !mayBeApart) {
        established.wire().close();
        throw apart;
      }
      link.measured(clockAheadMillis(established), apart);
      return established;
    } catch (ClusterException e) {
      link.end(e);
      throw e;
    } catch (RuntimeException | Error e) {
      link.end(ConnectionErrors.lost("node " + node, e));
      throw e;
    }
  }

  /**
   * Connects to a member, unless there is a connection, and compares the two nodes.
   *
   * @param node the member
   * @return whether there is a connection; false if one is being made for a call just now, or was
   *     ended at once
   * @throws ClusterException if it cannot be reached, one of the two refuses the other, or their
   *     clocks differ by more than 5 s
   */
  public boolean meet(NodeId node) {
    OutgoingLink link = new OutgoingLink(node, options, time, events);
    OutgoingLink present;
    lock.lock();
    try {
      if (isClosed) {
        throw closed();
      }
      present = outgoing.get(node);
      if (present == null || present.hasEnded()) {
        present = null;
        // Known before it is connected: a second connection would end the first one, and its calls.
        outgoing.put(node, link);
      }
    } finally {
      lock.unlock();
    }
    if (present != null) {
      ClusterException apart = present.clocksApart();
      // A call has connected nodes that had met before, and a clock has changed since. It is
      // measured again with the next connection; calls that are on their way come first.
      if (apart != null && present.endIfIdle(apart)) {
        throw apart;
      }
      return present.isConnected();
    }
    Handshake.Established established = establish(node, link, /* mayBeApart= */ false);
    hadSameTime.add(node);
    events.connected(node, /* outgoing= */ true, clockAheadMillis(established));
    // Before this returns: the caller looks next whether the node is connected.
    if (!link.begin(established.wire())) {
      return false;
    }
    Thread.ofVirtual()
        .name("holdfast-call-reader-" + node)
        .start(() -> link.readAll(established.wire()));
    return true;
  }

  /** {@return why the clocks are surely too far apart, however long the handshake took} */
  private @Nullable ClusterException clocksApart(
      NodeId node, Handshake.Established established, long before) {
    long theirs = established.hello().wallMillis();
    if (theirs >= before - CLOCKS_APART_MILLIS_MAX
        && theirs <= time.wallMillis() + CLOCKS_APART_MILLIS_MAX) {
      return null;
    }
    return new ClusterException(
        Reason.CLOCK,
        "The clock of node "
            + node
            + " is "
            + Math.abs(theirs - before)
            + " ms "
            + (theirs < before ? "behind" : "ahead of")
            + " the clock of node "
            + options.node()
            + "; at most "
            + CLOCKS_APART_MILLIS_MAX
            + " are allowed, because alarms are due by them. Set the clocks, and open the node"
            + " again.",
        null);
  }

  /**
   * {@return whether an error of {@link #meet} says that the other node refuses this one}
   *
   * @param error the error
   */
  public static boolean isRefusalOfPeer(ClusterException error) {
    return error.getCause() instanceof ConnectionErrors.RefusedByPeer;
  }

  /**
   * {@return whether an error of {@link #meet} says that the other node knows another directory of
   * this one: it may not have heard yet that this one has taken its place}
   *
   * @param error the error
   */
  public static boolean isOfOtherDirectory(ClusterException error) {
    return error.getCause() instanceof ConnectionErrors.RefusedByPeer refused
        && refused.reason() == RefusalReason.OTHER_DIRECTORY;
  }

  private ClusterException closed() {
    return new ClusterException(
        Reason.CLOSED, "Node " + options.node() + " is closed. Open it again to make calls.", null);
  }

  /**
   * {@return whether there is a connection over which this node can call another one now}
   *
   * @param node the other node
   */
  public boolean isConnectedTo(NodeId node) {
    lock.lock();
    try {
      OutgoingLink link = outgoing.get(node);
      return link != null && link.isConnected();
    } finally {
      lock.unlock();
    }
  }

  /**
   * {@return how far the clocks of the nodes that this one can call now are ahead of its own, in
   * milliseconds: measured when each was connected, and too small by the time that a message took.
   * Waits for no lock}
   */
  public Map<NodeId, Long> clocksAheadMillis() {
    Map<NodeId, Long> ahead = new HashMap<>();
    outgoing.forEach(
        (node, link) -> {
          Long millis = link.clockAheadMillis();
          if (millis != null) {
            ahead.put(node, millis);
          }
        });
    return ahead;
  }

  /**
   * {@return what is wrong with the certificates of this node, or will be soon, and what to do;
   * empty if nothing is} Looks at their files.
   */
  public Optional<String> certificateProblem() {
    return tls == null ? Optional.empty() : tls.problem();
  }

  /**
   * Ends the connections to and from a node that is no member any more.
   *
   * @param node the node
   */
  public void drop(NodeId node) {
    hadSameTime.remove(node);
    List<Link> links = new ArrayList<>();
    lock.lock();
    try {
      Optional.ofNullable(outgoing.get(node)).ifPresent(links::add);
      Optional.ofNullable(incoming.get(new Caller(node, 0)))
          .map(Accepted::link)
          .ifPresent(links::add);
    } finally {
      lock.unlock();
    }
    ClusterException why = noMember(node);
    links.forEach(each -> each.end(why));
  }

  /**
   * Ends the connections to nodes that are no members any more, as soon as no call is on its way.
   *
   * @param members the members of now, as far as this client has heard
   */
  public void keepOnly(Collection<NodeId> members) {
    outgoing.forEach(
        (node, link) -> {
          if (!members.contains(node) && link.endIfIdle(noMember(node))) {
            lock.lock();
            try {
              outgoing.remove(node, link);
            } finally {
              lock.unlock();
            }
          }
        });
  }

  private static ClusterException noMember(NodeId node) {
    return new ClusterException(
        Reason.NOT_A_MEMBER, "Node " + node + " is not a member of the cluster any more.", null);
  }

  /** Ends all connections and takes no more calls. Calls that were sent have an unknown outcome. */
  @Override
  public void close() {
    List<Link> links = new ArrayList<>();
    List<Socket> beginning;
    lock.lock();
    try {
      isClosed = true;
      links.addAll(outgoing.values());
      incoming.values().forEach(each -> links.add(each.link()));
      beginning = new ArrayList<>(unknown);
    } finally {
      lock.unlock();
    }
    closeQuietly(server);
    beginning.forEach(Wire::close);
    links.forEach(each -> each.end(closed()));
    closing.complete(null);
    if (server != null) {
      acceptingEnded.join(); // the address is taken until the socket is left
    }
  }
}
