package dev.holdfast.cluster.tls;

import java.nio.file.Path;

/**
 * The files with which a node proves that it is a member, in the PEM format. They are read again
 * when they change: replace them by renaming, and new connections use the new ones.
 *
 * @param certificate the node's certificate, and those of intermediate authorities after it. A DNS
 *     name of the certificate is the name of the node
 * @param key the node's private key, PKCS #8, not encrypted
 * @param authority the certificates of the authorities that sign the certificates of members
 */
public record TlsFiles(Path certificate, Path key, Path authority) {

  /**
   * {@return three files}
   *
   * @param certificate the node's certificate
   * @param key the node's private key
   * @param authority the certificate of the cluster's authority
   */
  public static TlsFiles of(Path certificate, Path key, Path authority) {
    return new TlsFiles(certificate, key, authority);
  }
}
