package dev.holdfast.cluster.call;

import dev.holdfast.cluster.tls.TlsFiles;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a node says of itself, and how it connects.
 *
 * @param cluster the name of the cluster
 * @param node this node
 * @param incarnation of this node's data directory; of a client a random number
 * @param opening of this node's data directory: its number in the upper 24 bits, and a random
 *     number; 0 of a client
 * @param lineage which cluster of this name it is, as the file {@code node} has it
 * @param shards the number of shards; 0 of a client, which learns it
 * @param address where this node takes calls; port 0 for any free one; null of a client, which
 *     takes none
 * @param tls the certificates; null for plaintext
 * @param plaintextOnAnyNetwork whether plaintext is also allowed beyond this machine: then
 *     everybody in that network can read and make calls
 * @param silence how long a connection may be silent before it is given up; from 100 ms to 10 min
 */
public record EndpointOptions(
    String cluster,
    NodeId node,
    long incarnation,
    long opening,
    long lineage,
    int shards,
    @Nullable InetSocketAddress address,
    @Nullable TlsFiles tls,
    boolean plaintextOnAnyNetwork,
    Duration silence) {

  /**
   * Returns what a client says of itself.
   *
   * @param cluster the name of the cluster
   * @param client the client
   * @param incarnation a random number: connections of this process
   * @param tls the certificates; null for plaintext
   * @param plaintextOnAnyNetwork whether plaintext is also allowed beyond this machine
   * @param silence how long a connection may be silent before it is given up
   * @return the options
   */
  public static EndpointOptions ofClient(
      String cluster,
      NodeId client,
      long incarnation,
      @Nullable TlsFiles tls,
      boolean plaintextOnAnyNetwork,
      Duration silence) {
    return new EndpointOptions(
        cluster,
        client,
        incarnation,
        /* opening= */ 0,
        Members.UNKNOWN_LINEAGE,
        /* shards= */ 0,
        /* address= */ null,
        tls,
        plaintextOnAnyNetwork,
        silence);
  }

  /** The lower bits of openings and lineages, which are random; the upper ones count. */
  public static final int RANDOM_BITS = 40;

  /** The silence after which a connection is given up, unless an option says otherwise. */
  public static final Duration DEFAULT_SILENCE = Duration.ofSeconds(2);

  private static final Duration SILENCE_MIN = Duration.ofMillis(100);
  private static final Duration SILENCE_MAX = Duration.ofMinutes(10);

  /** The name of a cluster is part of the first frame, which is short. */
  private static final int CLUSTER_LENGTH_MAX = 63;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if the name of the cluster is empty or longer than 63
   *     characters, or the silence is out of its range
   */
  public EndpointOptions {
    if (cluster.isEmpty() || cluster.length() > CLUSTER_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "A cluster has a name of 1 to " + CLUSTER_LENGTH_MAX + " characters: " + cluster);
    }
    if (silence.compareTo(SILENCE_MIN) < 0 || silence.compareTo(SILENCE_MAX) > 0) {
      throw new IllegalArgumentException(
          "The silence is from " + SILENCE_MIN + " to " + SILENCE_MAX + ", not " + silence);
    }
  }

  /** {@return whether this is a client: it calls, takes no calls, and is no member} */
  boolean isClient() {
    return opening == 0;
  }
}
