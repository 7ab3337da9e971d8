package dev.holdfast.http.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collections;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Reads the key of a server and its certificates. What it returns has a key and trusts what the JDK
 * trusts. Files that change later have no effect.
 */
public final class TlsKeys {

  private static final Pattern KEY =
      Pattern.compile(
          "-----BEGIN (?<kind>[A-Z ]*)PRIVATE KEY-----(?<base64>[^-]*)-----END [A-Z ]*PRIVATE"
              + " KEY-----");
  private static final byte[] PROBE = "probe".getBytes(StandardCharsets.US_ASCII);

  private TlsKeys() {}

  /**
   * Reads files in the form PEM.
   *
   * @param certificates the certificate of the server, followed by those of its issuers
   * @param key the private key, in the form PKCS #8 without a password ({@code BEGIN PRIVATE KEY})
   * @return TLS with this key
   * @throws IOException if a file cannot be read, or the key does not fit the first certificate;
   *     the message names the file
   */
  public static SSLContext ofPem(Path certificates, Path key) throws IOException {
    Certificate[] chain = certificates(certificates);
    PrivateKey secret = key(key, chain[0].getPublicKey());
    char[] password = new char[0];
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, password);
      store.setKeyEntry("server", secret, password, chain);
      return context(store, password);
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot use " + certificates + " and " + key, e);
    }
  }

  /**
   * Reads a key store in the form PKCS #12 or JKS.
   *
   * @param file the key store
   * @param password its password, also of its keys
   * @return TLS with the keys of the store
   * @throws IOException if it cannot be read or has no key; the message names the file
   */
  public static SSLContext ofKeyStore(Path file, char[] password) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance(file.toFile(), password);
      for (String alias : Collections.list(store.aliases())) {
        if (store.isKeyEntry(alias)) {
          return context(store, password);
        }
      }
    } catch (GeneralSecurityException | IOException e) {
      throw new IOException("cannot read the key store " + file, e);
    }
    throw new IOException("there is no key in the key store " + file);
  }

  private static SSLContext context(KeyStore store, char[] password)
      throws GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  private static Certificate[] certificates(Path file) throws IOException {
    try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(file))) {
      Certificate[] chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(in)
              .toArray(new Certificate[0]);
      if (chain.length > 0) {
        return chain;
      }
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot read the certificates in " + file, e);
    }
    throw new IOException("there is no certificate in " + file);
  }

  private static PrivateKey key(Path file, PublicKey certified) throws IOException {
    Matcher pem = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
    if (!pem.find()) {
      throw new IOException("there is no private key in " + file);
    }
    if (!pem.group("kind").isEmpty()) {
      throw new IOException(
          "the key in "
              + file
              + " is not in the form PKCS #8 without a password: convert it with"
              + " openssl pkcs8 -topk8 -nodes");
    }
    String algorithm = certified.getAlgorithm();
    try {
      byte[] encoded = Base64.getMimeDecoder().decode(pem.group("base64"));
      PrivateKey key =
          KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      if (isPair(key, certified)) {
        return key;
      }
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException("the key in " + file + " is not a key of the kind " + algorithm, e);
    }
    throw new IOException("the key in " + file + " does not fit the first certificate");
  }

  private static boolean isPair(PrivateKey key, PublicKey certified)
      throws GeneralSecurityException {
    String algorithm =
        switch (certified.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> certified.getAlgorithm();
        };
    Signature signer = Signature.getInstance(algorithm);
    signer.initSign(key);
    signer.update(PROBE);
    byte[] signature = signer.sign();
    signer.initVerify(certified);
    signer.update(PROBE);
    return signer.verify(signature);
  }
}
