package dev.holdfast.nodes;

import dev.holdfast.cluster.tls.CertificateAuthority;
import dev.holdfast.cluster.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The certificates of the nodes of a cluster, as files of one directory. Stateless. */
public final class Certificates {

  /** Clocks of machines differ: a certificate is valid a little before it is made. */
  private static final Duration BEFORE = Duration.ofHours(1);

  private Certificates() {}

  /**
   * Makes an authority, and a certificate and a key for each node. The key of the authority is not
   * kept.
   *
   * @param directory created if missing
   * @param cluster the name of the cluster
   * @param nodes the names of the nodes
   * @param now the time
   * @param validity how long they are valid
   * @throws IllegalArgumentException if a name cannot be used, or the time ends after the year
   *     9999; nothing is written then
   * @throws IOException if a file cannot be written
   */
  public static void write(
      Path directory, String cluster, List<String> nodes, Instant now, Duration validity)
      throws IOException {
    Issuer.of(cluster, now, validity).write(directory, nodes);
  }

  /**
   * An authority, whose key is kept in memory: nodes can be added later. Immutable.
   *
   * @param authority the authority
   * @param from when certificates begin to be valid
   * @param until when they end
   */
  record Issuer(CertificateAuthority authority, Instant from, Instant until) {

    /** {@return an issuer with a new key} */
    static Issuer of(String cluster, Instant now, Duration validity) {
      Instant from = now.minus(BEFORE);
      Instant until = now.plus(validity);
      return new Issuer(CertificateAuthority.of(cluster, from, until), from, until);
    }

    /** Writes the files of nodes into a directory that no running node reads. */
    void write(Path directory, List<String> nodes) throws IOException {
      authority.write(directory, nodes, from, until);
    }
  }

  /**
   * {@return the files of a node}
   *
   * @param directory the directory
   * @param node the name of the node
   */
  public static TlsFiles of(Path directory, String node) {
    return TlsFiles.of(
        directory.resolve(node + ".pem"),
        directory.resolve(node + ".key"),
        directory.resolve("ca.pem"));
  }
}
