package dev.holdfast.cluster.call;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.cluster.frame.Frame.Hello;
import dev.holdfast.cluster.frame.Frame.Refused;
import dev.holdfast.cluster.frame.FrameCodec;
import dev.holdfast.cluster.frame.FrameException;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.spi.log.LogEntry;
import dev.holdfast.spi.log.NodeId;
import java.io.EOFException;
import java.io.IOException;
import java.io.Serial;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a connection: TLS, HELLO in both directions, and which node the other side is.
 * Thread-safe.
 */
final class Handshake {

  /** How long the beginning of a connection may take. */
  static final long LIMIT_NANOS = 10_000_000_000L;

  /** What it has voted for and acknowledged may be missing, so it must not take part. */
  private static final String REMEDY =
      ". Give the node the directory back that it ran on last. If that is lost, do not start the"
          + " node under this name: the others go on as long as a majority runs.";

  private static final String REMEDY_BEFORE =
      ". Give the node the directory back that it ran on last. If that is lost, and the cluster has"
          + " never been ready, close all nodes, delete their directories, and begin again.";

  private final EndpointOptions options;
  private final @Nullable TlsContext tls;
  private final Members members;
  private final TimeSource time;

  /** Where members are by now whose names had another address, or none. */
  private final Map<InetSocketAddress, InetSocketAddress> found = new ConcurrentHashMap<>();

  private final Set<InetSocketAddress> lookedUp = ConcurrentHashMap.newKeySet();

  Handshake(EndpointOptions options, @Nullable TlsContext tls, Members members, TimeSource time) {
    this.options = options;
    this.tls = tls;
    this.members = members;
    this.time = time;
  }

  /**
   * A connection whose other side is known.
   *
   * @param hello what the other side says of itself
   */
  record Established(Wire wire, Hello hello) {}

  private Hello hello(NodeId peer) {
    return new Hello(
        Frame.VERSION_MIN,
        Frame.VERSION,
        options.cluster(),
        options.node(),
        options.incarnation(),
        peer,
        time.wallMillis(),
        options.opening(),
        options.shards(),
        memberNames(),
        lineage(),
        new Frame.Entries(LogEntry.VERSION_MIN, members.newestEntries(), members.agreedEntries()));
  }

  private long lineage() {
    return members.learntLineage().orElse(options.lineage());
  }

  private String memberNames() {
    return members.nodes().stream().map(NodeId::name).sorted().collect(Collectors.joining(","));
  }

  /**
   * Opens a connection to a member.
   *
   * @param tcp not connected; closed if this fails
   * @param peer the member
   * @throws ClusterException if it cannot be used
   */
  Established open(Socket tcp, NodeId peer) {
    InetSocketAddress known =
        members
            .addressOf(peer)
            .orElseThrow(
                () ->
                    new ClusterException(
                        Reason.NOT_A_MEMBER, "The node " + peer + " is not a member.", null));
    InetSocketAddress address = found.getOrDefault(known, known);
    String where = "node " + peer + " at " + address;
    TimeSource.Timer limit = time.schedule(LIMIT_NANOS, () -> Wire.close(tcp));
    try {
      if (address.isUnresolved()) {
        throw new ClusterException(
            Reason.UNREACHABLE,
            "The name of " + where + " has no address. Correct it, or the name service.",
            null);
      }
      requirePlaintextAllowed(address.getAddress(), where);
      connect(tcp, address, where);
      Established established = greet(tcp, peer, where);
      if (!limit.cancel()) {
        throw lost(where, null);
      }
      return established;
    } catch (RuntimeException | Error e) {
      limit.cancel();
      Wire.close(tcp);
      lookUp(known);
      throw e;
    }
  }

  /**
   * The node may have another address by now. On a thread of its own: name services may take half a
   * minute, and block the thread. What is found counts for the next connection; what worked goes on
   * if nothing is found.
   */
  private void lookUp(InetSocketAddress known) {
    InetAddress literal = known.getAddress();
    if ((literal != null && literal.getHostAddress().equals(known.getHostString()))
        || !lookedUp.add(known)) {
      return;
    }
    Thread.ofPlatform()
        .daemon()
        .name("holdfast-look-up")
        .start(
            () -> {
              InetSocketAddress now = new InetSocketAddress(known.getHostString(), known.getPort());
              if (!now.isUnresolved()) {
                found.put(known, now);
              }
              lookedUp.remove(known);
            });
  }

  private void connect(Socket tcp, InetSocketAddress address, String where) {
    try {
      tcp.connect(address, Math.toIntExact(options.silence().toMillis()));
      tcp.setTcpNoDelay(true);
    } catch (IOException e) {
      throw new ClusterException(
          Reason.UNREACHABLE,
          "There is no connection to "
              + where
              + ". Check that the node runs, and that the address and the firewall let this one"
              + " through.",
          e);
    }
  }

  private Established greet(Socket tcp, NodeId peer, String where) {
    try {
      Secured secured = secure(tcp, /* outgoing= */ true);
      requireName(secured.names(), peer, where);
      secured.wire().send(hello(peer));
      Frame answer = FrameCodec.decode(secured.wire().read(Frame.HELLO_LENGTH_MAX));
      if (answer instanceof Refused refused) {
        throw refusal(refused, where);
      }
      if (!(answer instanceof Hello hello)) {
        throw new FrameException("the first frame is not a HELLO");
      }
      requireSameCluster(hello, where);
      requireVersion(hello, where);
      requireSameLineage(hello, where);
      if (!hello.node().equals(peer)) {
        throw new ClusterException(
            Reason.NODE_ID,
            "Node "
                + hello.node()
                + " answers where "
                + where
                + " is expected. Correct the address of "
                + peer
                + ", or the name of the node there.",
            null);
      }
      requireSameShape(hello, where);
      requireIncarnation(hello, where);
      if (lineage() == Members.UNKNOWN_LINEAGE && hello.lineage() != Members.UNKNOWN_LINEAGE) {
        // Only here: a member that this node has called, and that lets it in. A caller must not
        // say what this node belongs to.
        members.learnLineage(hello.lineage());
      }
      return new Established(secured.wire(), hello);
    } catch (IOException e) {
      throw explained(e, where);
    }
  }

  /**
   * Accepts a connection. A refusal is sent before it is thrown; the socket is then closed.
   *
   * @throws ClusterException if it is not one of a member
   */
  Established accept(Socket tcp) {
    String where = "the caller at " + tcp.getRemoteSocketAddress();
    TimeSource.Timer limit = time.schedule(LIMIT_NANOS, () -> Wire.close(tcp));
    Secured secured = null;
    try {
      requirePlaintextAllowed(tcp.getInetAddress(), where);
      tcp.setTcpNoDelay(true);
      secured = secure(tcp, /* outgoing= */ false);
      Frame first = FrameCodec.decode(secured.wire().read(Frame.HELLO_LENGTH_MAX));
      if (!(first instanceof Hello hello)) {
        throw new FrameException("the first frame is not a HELLO");
      }
      requireCaller(hello, secured.names(), where);
      secured.wire().send(hello(hello.node()));
      if (!limit.cancel()) {
        throw lost(where, null);
      }
      return new Established(secured.wire(), hello);
    } catch (IOException e) {
      // An alert of TLS is under way; it says to the other side what is wrong.
      Wire.linger(tcp);
      limit.cancel();
      throw explained(e, where);
    } catch (ClusterException e) {
      refuse(secured, e);
      limit.cancel();
      Wire.close(tcp);
      throw e;
    } catch (RuntimeException | Error e) {
      limit.cancel();
      Wire.close(tcp);
      throw e;
    }
  }

  private void requireCaller(Hello hello, @Nullable Set<String> names, String where) {
    requireSameCluster(hello, where);
    requireVersion(hello, where);
    requireSameLineage(hello, where);
    if (members.isRemoved(hello.node(), hello.incarnation())) {
      throw new ClusterException(
          Reason.REMOVED,
          "Node "
              + hello.node()
              + ", "
              + where
              + ", was removed from the cluster "
              + options.cluster()
              + ". Add another node, with another name and an empty directory.",
          null);
    }
    if (members.addressOf(hello.node()).isEmpty()) {
      throw new ClusterException(
          Reason.NOT_A_MEMBER,
          "The node "
              + hello.node()
              + " is not a member of the cluster "
              + options.cluster()
              + ", which has the members "
              + memberNames()
              + ". Add it with ./holdfast cluster add on a member. If it is a member where it runs,"
              + " these are two clusters of one name: close the nodes of the one that is not to go"
              + " on.",
          null);
    }
    requireName(names, hello.node(), where);
    if (!hello.peer().equals(options.node())) {
      throw new ClusterException(
          Reason.NODE_ID,
          "Node "
              + hello.node()
              + " expects node "
              + hello.peer()
              + " where "
              + options.node()
              + " is. Correct the address of "
              + hello.peer()
              + " in its list of members.",
          null);
    }
    requireSameShape(hello, where);
    if (members.isStarting()) {
      throw new ClusterException(
          Reason.STARTING,
          "Node "
              + options.node()
              + " waits to be added, and has not opened its logs yet. It does so when a member lets"
              + " it in; if it does not, its own log says why.",
          null);
    }
    requireIncarnation(hello, where); // last, because it is remembered
  }

  private void requireSameShape(Hello hello, String where) {
    if (hello.shards() != options.shards()) {
      throw new ClusterException(
          Reason.SHARDS,
          "Node "
              + hello.node()
              + ", "
              + where
              + ", has "
              + hello.shards()
              + " shards, node "
              + options.node()
              + " has "
              + options.shards()
              + ". The number never changes: give the newer node the number of the others.",
          null);
    }
    if (members.isBeingMade() && !hello.members().equals(memberNames())) {
      throw new ClusterException(
          Reason.MEMBERS,
          "Node "
              + hello.node()
              + ", "
              + where
              + ", has the members "
              + hello.members()
              + ", node "
              + options.node()
              + " has "
              + memberNames()
              + ". Give all nodes the same list of members.",
          null);
    }
  }

  private static void refuse(@Nullable Secured secured, ClusterException why) {
    if (secured == null) {
      return;
    }
    RefusalReason refusal =
        switch (why.reason()) {
          case CLUSTER_NAME -> RefusalReason.CLUSTER_NAME;
          case NODE_ID -> RefusalReason.NODE_ID;
          case INCARNATION -> RefusalReason.INCARNATION;
          case NOT_A_MEMBER -> RefusalReason.NOT_A_MEMBER;
          case VERSION -> RefusalReason.VERSION;
          case CERTIFICATE_NAME -> RefusalReason.CERTIFICATE_NAME;
          case MEMBERS -> RefusalReason.MEMBERS;
          case SHARDS -> RefusalReason.SHARDS;
          case RECOVERED -> RefusalReason.RECOVERED;
          case REMOVED -> RefusalReason.REMOVED;
          case STARTING -> RefusalReason.STARTING;
          default -> RefusalReason.PROTOCOL;
        };
    try {
      secured.wire().send(new Refused(0, refusal, String.valueOf(why.getMessage())));
      secured.wire().closeGently();
    } catch (IOException e) {
      // The other side is gone; the refusal is reported here all the same.
      why.addSuppressed(e);
    }
  }

  private static ClusterException refusal(Refused refused, String where) {
    Reason reason =
        switch (refused.reason()) {
          case CLUSTER_NAME -> Reason.CLUSTER_NAME;
          case NODE_ID -> Reason.NODE_ID;
          case INCARNATION -> Reason.INCARNATION;
          case NOT_A_MEMBER -> Reason.NOT_A_MEMBER;
          case VERSION -> Reason.VERSION;
          case CERTIFICATE_NAME -> Reason.CERTIFICATE_NAME;
          case MEMBERS -> Reason.MEMBERS;
          case SHARDS -> Reason.SHARDS;
          case RECOVERED -> Reason.RECOVERED;
          case REMOVED -> Reason.REMOVED;
          case STARTING -> Reason.STARTING;
          default -> Reason.PROTOCOL;
        };
    return new ClusterException(
        reason,
        "This node was refused by " + where + ": " + refused.message(),
        new RefusedByPeer(refused.message()));
  }

  /** The cause of an error that the other side has found. */
  static final class RefusedByPeer extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    RefusedByPeer(String message) {
      super(message, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    }
  }

  private void requireSameCluster(Hello hello, String where) {
    if (!hello.cluster().equals(options.cluster())) {
      throw new ClusterException(
          Reason.CLUSTER_NAME,
          "Node "
              + hello.node()
              + ", "
              + where
              + ", belongs to the cluster \""
              + hello.cluster()
              + "\", node "
              + options.node()
              + " to \""
              + options.cluster()
              + "\". Correct the name or the address of one of them.",
          null);
    }
  }

  /** Comes after the version: the field is of this one. */
  private void requireSameLineage(Hello hello, String where) {
    long own = lineage();
    if (hello.lineage() == own
        || hello.lineage() == Members.UNKNOWN_LINEAGE
        || own == Members.UNKNOWN_LINEAGE) {
      return;
    }
    // Only the later cluster sends the other one away: of two that are recovered from two copies
    // of one cluster, neither knows better.
    if (own >>> EndpointOptions.RANDOM_BITS > hello.lineage() >>> EndpointOptions.RANDOM_BITS) {
      throw new ClusterException(
          Reason.RECOVERED,
          "Node "
              + hello.node()
              + ", "
              + where
              + ", runs on a directory of the cluster \""
              + options.cluster()
              + "\" as it was before that was recovered from the copy of one node. Its objects"
              + " differ from the objects of the cluster. Move the directory away.",
          null);
    }
    throw new ClusterException(
        Reason.CLUSTER_NAME,
        "Node "
            + hello.node()
            + ", "
            + where
            + ", belongs to another cluster of the name \""
            + options.cluster()
            + "\" than node "
            + options.node()
            + ": one of them was recovered from the copy of one node, or made of another data"
            + " directory of a single machine. Close the nodes of the one"
            + " that is not to go on.",
        null);
  }

  private void requireVersion(Hello hello, String where) {
    if (hello.versionMin() > Frame.VERSION || hello.versionMax() < Frame.VERSION_MIN) {
      throw new ClusterException(
          Reason.VERSION,
          "Node "
              + hello.node()
              + ", "
              + where
              + ", speaks the call protocol in versions "
              + hello.versionMin()
              + " to "
              + hello.versionMax()
              + ", the other node in version "
              + Frame.VERSION
              + ". Upgrade the older one.",
          null);
    }
    requireEntries(hello, where);
  }

  /** An older node would stop its copies at the first entry that it cannot read. */
  private void requireEntries(Hello hello, String where) {
    Frame.Entries theirs = hello.entries();
    int agreed = Math.max(theirs.agreed(), members.agreedEntries());
    if (theirs.max() < agreed
        || members.newestEntries() < agreed
        || theirs.min() > members.newestEntries()) {
      throw new ClusterException(
          Reason.VERSION,
          "The versions do not meet: node "
              + hello.node()
              + ", "
              + where
              + ", reads entries of the logs in versions "
              + theirs.min()
              + " to "
              + theirs.max()
              + ", node "
              + options.node()
              + " in versions "
              + LogEntry.VERSION_MIN
              + " to "
              + members.newestEntries()
              + ", and the cluster writes version "
              + agreed
              + ". Install the version of Holdfast that the other nodes have on the older node.",
          null);
    }
  }

  private void requireIncarnation(Hello hello, String where) {
    OptionalLong known = members.incarnationOf(hello.node());
    if (known.isPresent() && known.getAsLong() != hello.incarnation()) {
      throw new ClusterException(
          Reason.INCARNATION,
          "Node "
              + hello.node()
              + ", "
              + where
              + ", is a member with another data directory than the one it runs on now: incarnation"
              + " "
              + known.getAsLong()
              + ", not "
              + hello.incarnation()
              + remedy(),
          null);
    }
    members.reads(hello.node(), hello.entries().max());
    if (!members.met(hello.node(), hello.incarnation(), hello.opening())) {
      throw new ClusterException(
          Reason.INCARNATION,
          "Node "
              + hello.node()
              + ", "
              + where
              + ", runs on an older copy of its data directory than it had before, or twice on"
              + " copies of it (incarnation "
              + hello.incarnation()
              + ")"
              + remedy(),
          null);
    }
  }

  private String remedy() {
    return members.isBeingMade() ? REMEDY_BEFORE : REMEDY;
  }

  private static void requireName(@Nullable Set<String> names, NodeId node, String where) {
    if (names != null && !names.contains(node.name())) {
      throw new ClusterException(
          Reason.CERTIFICATE_NAME,
          "The certificate that was shown for node "
              + node
              + " by "
              + where
              + " has the DNS names "
              + names
              + ". Give the node a certificate with the DNS name \""
              + node
              + "\".",
          null);
    }
  }

  private void requirePlaintextAllowed(@Nullable InetAddress address, String where) {
    if (tls == null && !options.plaintextOnAnyNetwork() && !isOfThisMachine(address)) {
      throw new ClusterException(
          Reason.PLAINTEXT,
          "There are no certificates, and "
              + where
              + " is not on this machine. Give all nodes certificates.",
          null);
    }
  }

  static boolean isOfThisMachine(@Nullable InetAddress address) {
    return address != null && address.isLoopbackAddress();
  }

  /**
   * A connection that nobody else reads.
   *
   * @param names the DNS names of the other side's certificate; null for plaintext
   */
  private record Secured(Wire wire, @Nullable Set<String> names) {}

  private Secured secure(Socket tcp, boolean outgoing) throws IOException {
    // For what TLS reads: each read has an end, and the timer bounds all of them.
    tcp.setSoTimeout((int) (LIMIT_NANOS / 1_000_000));
    if (tls == null) {
      return new Secured(new Wire(tcp, tcp.getInputStream(), tcp.getOutputStream()), null);
    }
    SSLSocket socket =
        (SSLSocket)
            tls.current()
                .context()
                .getSocketFactory()
                // Not closed with the session: what the other side reads last is an alert.
                .createSocket(tcp, tcp.getInetAddress().getHostAddress(), tcp.getPort(), false);
    socket.setUseClientMode(outgoing);
    socket.setNeedClientAuth(true);
    socket.setEnabledProtocols(new String[] {"TLSv1.3"});
    socket.startHandshake();
    X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
    Set<String> names;
    try {
      names = CertificateNames.of(shown);
    } catch (CertificateException e) {
      throw new IOException(e.getMessage(), e);
    }
    return new Secured(new Wire(tcp, socket.getInputStream(), socket.getOutputStream()), names);
  }

  static ClusterException lost(String where, @Nullable Throwable cause) {
    return new ClusterException(
        Reason.CONNECTION_LOST, "The connection to " + where + " has ended.", cause);
  }

  /** Finds out what an error of the network means for an operator. */
  static ClusterException explained(IOException failure, String where) {
    if (hasCause(failure, CertificateExpiredException.class)
        || hasCause(failure, CertificateNotYetValidException.class)) {
      return new ClusterException(
          Reason.CERTIFICATE_EXPIRED,
          "The certificate of "
              + where
              + " has expired, or is not valid yet. Replace it there, and check the clocks.",
          failure);
    }
    if (hasCause(failure, CertPathValidatorException.class)
        || hasCause(failure, CertPathBuilderException.class)) {
      return new ClusterException(
          Reason.CERTIFICATE_REFUSED,
          "The certificate of "
              + where
              + " is not signed by an authority of this cluster. Give it a certificate of this"
              + " cluster's authority, or add its authority to the file of authorities.",
          failure);
    }
    String message = String.valueOf(failure.getMessage());
    if (failure instanceof FrameException) {
      return new ClusterException(
          Reason.PROTOCOL,
          "What "
              + where
              + " sent is not the call protocol: "
              + message
              + ". Check that the address belongs to a node, and that both nodes have certificates"
              + " or neither.",
          failure);
    }
    if (failure instanceof SocketTimeoutException) {
      return new ClusterException(
          Reason.CONNECTION_LOST,
          "Nothing was heard from "
              + where
              + " for too long. Check the node and the network; the connection is opened again with"
              + " the next call.",
          failure);
    }
    if (failure instanceof SSLException) {
      // A node that is killed, or a relay whose target does not run: nothing is wrong with TLS.
      return hasCause(failure, EOFException.class) || hasCause(failure, SocketException.class)
          ? new ClusterException(
              Reason.CONNECTION_LOST,
              "The connection to "
                  + where
                  + " has ended before TLS was agreed on. Check that the node runs; if it does,"
                  + " that both nodes have certificates.",
              failure)
          : ofTls(message, where, failure);
    }
    return lost(where, failure);
  }

  private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (type.isInstance(each)) {
        return true;
      }
    }
    return false;
  }

  private static ClusterException ofTls(String message, String where, IOException failure) {
    if (message.contains("certificate_expired")) {
      return new ClusterException(
          Reason.CERTIFICATE_EXPIRED,
          "The certificate of this node has expired, says "
              + where
              + ". Replace it; it is read without a restart.",
          failure);
    }
    if (message.contains("certificate") || message.contains("unknown_ca")) {
      return new ClusterException(
          Reason.CERTIFICATE_REFUSED,
          "The certificate of this node was refused by "
              + where
              + ". Compare the files of authorities of both nodes.",
          failure);
    }
    return new ClusterException(
        Reason.PROTOCOL,
        "TLS with "
            + where
            + " failed: "
            + message
            + ". Check that both nodes have certificates, and that the address belongs to a node.",
        failure);
  }
}
