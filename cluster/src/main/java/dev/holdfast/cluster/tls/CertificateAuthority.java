package dev.holdfast.cluster.tls;

import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes the certificates of a cluster: for tests, demonstrations and small clusters. Its own key is
 * never written, so a node that is added later needs a new authority, or one that exists already:
 * list both in {@link TlsFiles#authority} while certificates are replaced.
 *
 * <p>Keys are of the curve P-256. Each certificate may be shown by the side that opens a connection
 * and by the other one. Immutable and thread-safe.
 */
public final class CertificateAuthority {

  private static final String SIGNATURE = "SHA256withECDSA";
  private static final byte[] SIGNATURE_ALGORITHM =
      Der.sequence(Der.identifier("1.2.840.10045.4.3.2"));
  private static final int LINE_LENGTH = 64;
  private static final int SERIAL_BYTES = 16;
  private static final int KEY_IDENTIFIER_BYTES = 20;

  private final String name;
  private final KeyPair keys;
  private final String certificate;

  private CertificateAuthority(String name, KeyPair keys, String certificate) {
    this.name = name;
    this.keys = keys;
    this.certificate = certificate;
  }

  /**
   * Makes an authority with a new key.
   *
   * @param cluster the name of the cluster; the authority is named after it
   * @param from when its certificate begins to be valid
   * @param until when it ends
   * @return the authority
   * @throws IllegalArgumentException if the time ends before it begins, or after the year 9999
   */
  public static CertificateAuthority of(String cluster, Instant from, Instant until) {
    String name = "Holdfast cluster " + cluster;
    KeyPair keys = newKeys();
    byte[] extensions =
        Der.sequence(
            extension("2.5.29.19", /* critical= */ true, Der.sequence(Der.booleanTrue())),
            // To sign certificates, and lists of those that are revoked.
            extension("2.5.29.15", /* critical= */ true, Der.bits(1, new byte[] {0x06})),
            extension("2.5.29.14", /* critical= */ false, Der.octets(identifierOf(keys))));
    byte[] signed = signed(name, keys.getPrivate(), name, keys, from, until, extensions);
    return new CertificateAuthority(name, keys, pem("CERTIFICATE", signed));
  }

  /** {@return the certificate of the authority, in the PEM format} */
  public String certificate() {
    return certificate;
  }

  /**
   * A certificate with its key, in the PEM format.
   *
   * @param certificate the certificate
   * @param key the private key, PKCS #8, not encrypted: keep it secret
   */
  public record Issued(String certificate, String key) {

    /** {@return without the key} */
    @Override
    public String toString() {
      return certificate;
    }
  }

  /**
   * Makes a certificate for a node, with a new key.
   *
   * @param node the name of the node
   * @param from when it begins to be valid
   * @param until when it ends
   * @return the certificate and its key
   * @throws IllegalArgumentException if the name is malformed, or the time ends before it begins or
   *     after the year 9999
   */
  public Issued issue(String node, Instant from, Instant until) {
    NodeId checked = new NodeId(node);
    KeyPair own = newKeys();
    byte[] dnsName = Der.implicit(2, checked.name().getBytes(StandardCharsets.US_ASCII));
    byte[] extensions =
        Der.sequence(
            extension("2.5.29.19", /* critical= */ true, Der.sequence()),
            // To sign what is exchanged when a connection begins.
            extension("2.5.29.15", /* critical= */ true, Der.bits(7, new byte[] {(byte) 0x80})),
            extension(
                "2.5.29.37",
                /* critical= */ false,
                Der.sequence(
                    Der.identifier("1.3.6.1.5.5.7.3.1"), Der.identifier("1.3.6.1.5.5.7.3.2"))),
            extension("2.5.29.17", /* critical= */ false, Der.sequence(dnsName)),
            extension(
                "2.5.29.35",
                /* critical= */ false,
                Der.sequence(Der.implicit(0, identifierOf(keys)))));
    byte[] signed = signed(name, keys.getPrivate(), node, own, from, until, extensions);
    return new Issued(
        pem("CERTIFICATE", signed), pem("PRIVATE KEY", own.getPrivate().getEncoded()));
  }

  /**
   * Makes a certificate for a node and writes the files that the node needs: {@code NODE.pem},
   * {@code NODE.key}, which only its owner can read, and {@code ca.pem}.
   *
   * @param directory exists
   * @param node the name of the node
   * @param from when the certificate begins to be valid
   * @param until when it ends
   * @return the files
   * @throws IllegalArgumentException if the name is malformed or {@code ca}, or the time ends
   *     before it begins or after the year 9999
   * @throws IOException if a file cannot be written
   */
  public TlsFiles write(Path directory, String node, Instant from, Instant until)
      throws IOException {
    check(List.of(node));
    Issued issued = issue(node, from, until);
    TlsFiles files =
        TlsFiles.of(
            directory.resolve(node + ".pem"),
            directory.resolve(node + ".key"),
            directory.resolve("ca.pem"));
    Files.writeString(files.authority(), certificate);
    writeSecret(files.key(), issued.key());
    Files.writeString(files.certificate(), issued.certificate());
    return files;
  }

  /**
   * Writes the files of several nodes, as {@link #write(Path, String, Instant, Instant)} does. If a
   * name cannot be used, nothing is written.
   *
   * @param directory created if missing
   * @param nodes the names of the nodes
   * @param from when the certificates begin to be valid
   * @param until when they end
   * @throws IllegalArgumentException if a name is malformed, {@code ca} or there twice, or the time
   *     ends before it begins or after the year 9999
   * @throws IOException if a file cannot be written
   */
  public void write(Path directory, List<String> nodes, Instant from, Instant until)
      throws IOException {
    check(nodes);
    Files.createDirectories(directory);
    for (String node : nodes) {
      write(directory, node, from, until);
    }
  }

  private static void check(List<String> nodes) {
    Set<NodeId> names = new HashSet<>();
    for (String node : nodes) {
      if (!names.add(new NodeId(node))) {
        throw new IllegalArgumentException("Two nodes have the name " + node);
      }
      if (node.equals("ca")) {
        throw new IllegalArgumentException(
            "A node cannot have the name ca here: its certificate would replace ca.pem, the"
                + " certificate of the authority. Give it another name");
      }
    }
  }

  /** The file never exists with the permissions of others. */
  private static void writeSecret(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    boolean isPosix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] owned =
        isPosix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (SeekableByteChannel channel = Files.newByteChannel(file, options, owned)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  private static KeyPair newKeys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has keys of the curve P-256.", e);
    }
  }

  private static byte[] signed(
      String issuer,
      PrivateKey issuerKey,
      String subject,
      KeyPair keys,
      Instant from,
      Instant until,
      byte[] extensions) {
    if (!from.isBefore(until)) {
      throw new IllegalArgumentException(
          "The certificate of " + subject + " would end at " + until + ", it begins at " + from);
    }
    byte[] content =
        Der.sequence(
            Der.marked(0, Der.integer(new byte[] {2})),
            Der.integer(serialOf(keys)),
            SIGNATURE_ALGORITHM,
            nameOf(issuer),
            Der.sequence(Der.time(from), Der.time(until)),
            nameOf(subject),
            keys.getPublic().getEncoded(),
            Der.marked(3, extensions));
    try {
      Signature signature = Signature.getInstance(SIGNATURE);
      signature.initSign(issuerKey);
      signature.update(content);
      return Der.sequence(content, SIGNATURE_ALGORITHM, Der.bits(0, signature.sign()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has " + SIGNATURE + ".", e);
    }
  }

  private static byte[] extension(String identifier, boolean critical, byte[] content) {
    return critical
        ? Der.sequence(Der.identifier(identifier), Der.booleanTrue(), Der.octets(content))
        : Der.sequence(Der.identifier(identifier), Der.octets(content));
  }

  private static byte[] nameOf(String commonName) {
    return Der.sequence(Der.set(Der.sequence(Der.identifier("2.5.4.3"), Der.text(commonName))));
  }

  /** Each certificate has a key of its own, so its hash is as good as a random number. */
  private static byte[] serialOf(KeyPair keys) {
    byte[] serial = Arrays.copyOf(hash(keys), SERIAL_BYTES);
    // Positive, and without a leading byte that could be left out.
    serial[0] = (byte) ((serial[0] & 0x3F) | 0x40);
    return serial;
  }

  private static byte[] identifierOf(KeyPair keys) {
    return Arrays.copyOf(hash(keys), KEY_IDENTIFIER_BYTES);
  }

  private static byte[] hash(KeyPair keys) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(keys.getPublic().getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }

  private static String pem(String kind, byte[] content) {
    String lines = Base64.getMimeEncoder(LINE_LENGTH, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN " + kind + "-----\n" + lines + "\n-----END " + kind + "-----\n";
  }
}
