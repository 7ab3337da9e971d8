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
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

  /**
   * The text of a refusal, in the first frame: before it are 12 bytes, its reason and its length.
   */
  private static final int REFUSAL_BYTES_MAX = Frame.HELLO_LENGTH_MAX - 15;

  private final EndpointOptions options;
  private final @Nullable TlsContext tls;
  private final Members members;
  private final TimeSource time;
  private final HelloCheck check;

  /** Where members are by now whose names had another address, or none. */
  private final Map<InetSocketAddress, InetSocketAddress> found = new ConcurrentHashMap<>();

  private final Set<InetSocketAddress> lookedUp = ConcurrentHashMap.newKeySet();

  Handshake(EndpointOptions options, @Nullable TlsContext tls, Members members, TimeSource time) {
    this.options = options;
    this.tls = tls;
    this.members = members;
    this.time = time;
    this.check = new HelloCheck(options, members);
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
        options.isClient() ? "" : check.memberNames(),
        check.lineage(),
        new Frame.Entries(LogEntry.VERSION_MIN, members.newestEntries(), members.agreedEntries()),
        !options.isClient() && members.isBeingMade());
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
        throw ConnectionErrors.lost(where, null);
      }
      return established;
    } catch (RuntimeException | Error e) {
      if (e.getCause() instanceof SSLException) {
        Wire.linger(tcp); // an alert may be under way, as in accept
      }
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
      HelloCheck.requireName(secured.names(), peer, where);
      secured.wire().send(hello(peer));
      Frame answer = FrameCodec.decode(secured.wire().read(Frame.HELLO_LENGTH_MAX));
      if (answer instanceof Refused refused) {
        throw ConnectionErrors.refusal(refused, where);
      }
      if (!(answer instanceof Hello hello)) {
        throw new FrameException("the first frame is not a HELLO");
      }
      check.requireSameCluster(hello, where);
      check.requireVersion(hello, where);
      check.requireSameLineage(hello, where);
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
      check.requireNotRemoved(hello, where);
      check.requireBegun(hello, where);
      check.requireSameShape(hello, where);
      check.requireIncarnation(hello, where);
      if (check.lineage() == Members.UNKNOWN_LINEAGE
          && hello.lineage() != Members.UNKNOWN_LINEAGE) {
        // Only here: a member that this node has called, and that lets it in. A caller must not
        // say what this node belongs to.
        members.learnLineage(hello.lineage());
      }
      return new Established(secured.wire(), hello);
    } catch (IOException e) {
      throw ConnectionErrors.explained(e, where);
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
      check.requireCaller(hello, secured.names(), where);
      secured.wire().send(hello(hello.node()));
      if (!limit.cancel()) {
        throw ConnectionErrors.lost(where, null);
      }
      return new Established(secured.wire(), hello);
    } catch (IOException e) {
      // An alert of TLS is under way; it says to the other side what is wrong.
      Wire.linger(tcp);
      limit.cancel();
      throw ConnectionErrors.explained(e, where);
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

  private static void refuse(@Nullable Secured secured, ClusterException why) {
    if (secured == null) {
      return;
    }
    RefusalReason refusal =
        switch (why.reason()) {
          case CLUSTER_NAME -> RefusalReason.CLUSTER_NAME;
          case NODE_ID -> RefusalReason.NODE_ID;
          case INCARNATION ->
              why.getCause() instanceof ConnectionErrors.OtherDirectory
                  ? RefusalReason.OTHER_DIRECTORY
                  : RefusalReason.INCARNATION;
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
      secured.wire().send(new Refused(0, refusal, fitting(String.valueOf(why.getMessage()))));
      secured.wire().closeGently();
    } catch (IOException e) {
      // The other side is gone; the refusal is reported here all the same.
      why.addSuppressed(e);
    }
  }

  /** The other side reads no longer frame yet, and would hear of a frame instead of the reason. */
  private static String fitting(String message) {
    CharBuffer rest = CharBuffer.wrap(message);
    StandardCharsets.UTF_8
        .newEncoder()
        .onMalformedInput(CodingErrorAction.REPLACE)
        .encode(rest, ByteBuffer.allocate(REFUSAL_BYTES_MAX), /* endOfInput= */ true);
    return message.substring(0, message.length() - rest.remaining());
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
}
