package dev.holdfast.cluster.call;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.tls.TlsFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * What new connections use: read from the files, and read again when a file has changed. If the
 * changed files cannot be used, the earlier ones stay in use. Thread-safe.
 */
final class TlsContext {

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

  /** Tried in this order; a PKCS #8 key names its algorithm, and the others refuse it. */
  private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "Ed25519");

  private static final char[] NO_PASSWORD = {};

  private static final int SESSION_SECONDS = 1;

  /** Before a certificate expires; of one that is valid for less than three times that, a third. */
  private static final Duration NOTICE = Duration.ofDays(14);

  /** What a file was when it was read. */
  private record Stamp(FileTime modified, long length) {}

  private final TlsFiles files;
  private final InstantSource clock;
  private final Consumer<ClusterException> unusable;

  /**
   * What was read.
   *
   * @param own the certificate of this node
   */
  record Loaded(
      SSLContext context,
      X509ExtendedKeyManager keys,
      X509ExtendedTrustManager trust,
      X509Certificate own) {

    private boolean expiresSoon(Instant now) {
      Instant end = own.getNotAfter().toInstant();
      Duration third = Duration.between(own.getNotBefore().toInstant(), end).dividedBy(3);
      return now.isAfter(end.minus(third.compareTo(NOTICE) < 0 ? third : NOTICE));
    }
  }

  // Guarded by this.
  private Loaded loaded;
  private List<Stamp> stamps;
  private @Nullable ClusterException problem;

  /**
   * Reads the files.
   *
   * @param files the files
   * @param clock says whether the node's own certificate is valid now
   * @param unusable is given why changed files cannot be used
   * @throws ClusterException if the files cannot be used
   */
  TlsContext(TlsFiles files, InstantSource clock, Consumer<ClusterException> unusable) {
    this.files = files;
    this.clock = clock;
    this.unusable = unusable;
    this.stamps = stampsOf(files);
    this.loaded = load(files, clock.instant());
  }

  /** {@return what a new connection uses} */
  synchronized Loaded current() {
    try {
      List<Stamp> present = stampsOf(files);
      // Again and again while they cannot be used: that another user may read them is no change.
      if (problem != null || !present.equals(stamps)) {
        loaded = load(files, clock.instant());
        stamps = present;
        problem = null;
      }
    } catch (ClusterException e) {
      problem = e;
      unusable.accept(e);
    }
    return loaded;
  }

  /** {@return what is wrong with the files, or will be soon; empty if nothing is} */
  synchronized Optional<String> problem() {
    Loaded present = current();
    if (problem != null) {
      return Optional.of(
          "The files for TLS have changed, and cannot be used; the earlier ones are in use until"
              + " this node is closed. "
              + problem.getMessage());
    }
    return present.expiresSoon(clock.instant())
        ? Optional.of(
            "The certificate of this node is valid until "
                + present.own().getNotAfter().toInstant()
                + ". Put another one in its place; it is read without a restart.")
        : Optional.empty();
  }

  private static List<Stamp> stampsOf(TlsFiles files) {
    List<Stamp> stamps = new ArrayList<>();
    for (Path file : List.of(files.certificate(), files.key(), files.authority())) {
      try {
        stamps.add(new Stamp(Files.getLastModifiedTime(file), Files.size(file)));
      } catch (IOException e) {
        throw unreadable(file, e);
      }
    }
    return stamps;
  }

  private static Loaded load(TlsFiles files, Instant now) {
    List<X509Certificate> chain = certificates(files.certificate());
    X509Certificate own = chain.getFirst();
    requireValid(files.certificate(), own, now);
    PrivateKey key = key(files.key());
    requirePair(files, own, key);
    try {
      // Only in memory. PKCS12 would make a key of the password by 10,000 rounds, which protect
      // nothing, and with the managers of PKIX each connection would do them again.
      KeyStore keys = KeyStore.getInstance("JKS");
      keys.load(null, null);
      keys.setKeyEntry("node", key, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
      KeyManagerFactory keyManagers = KeyManagerFactory.getInstance("SunX509");
      keyManagers.init(keys, NO_PASSWORD);
      KeyStore authorities = KeyStore.getInstance("PKCS12");
      authorities.load(null, null);
      for (X509Certificate each : certificates(files.authority())) {
        authorities.setCertificateEntry("authority-" + authorities.size(), each);
      }
      TrustManagerFactory trustManagers = TrustManagerFactory.getInstance("PKIX");
      trustManagers.init(authorities);
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(keyManagers.getKeyManagers(), trustManagers.getTrustManagers(), null);
      // A session that is resumed is not checked again, although its certificate may have expired.
      context.getClientSessionContext().setSessionTimeout(SESSION_SECONDS);
      context.getServerSessionContext().setSessionTimeout(SESSION_SECONDS);
      return new Loaded(
          context,
          (X509ExtendedKeyManager) keyManagers.getKeyManagers()[0],
          (X509ExtendedTrustManager) trustManagers.getTrustManagers()[0],
          own);
    } catch (GeneralSecurityException | IOException e) {
      throw new ClusterException(
          Reason.TLS_FILES,
          "The certificate "
              + files.certificate()
              + " and its key cannot be used for TLS 1.3; make them with P-256, RSA or Ed25519.",
          e);
    }
  }

  private static List<X509Certificate> certificates(Path file) {
    List<X509Certificate> read = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      factory
          .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)))
          .forEach(each -> read.add((X509Certificate) each));
    } catch (IOException e) {
      throw unreadable(file, e);
    } catch (CertificateException e) {
      throw noCertificate(file, e);
    }
    if (read.isEmpty()) {
      throw noCertificate(file, null);
    }
    return read;
  }

  private static PrivateKey key(Path file) {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
    Matcher found = KEY.matcher(text);
    if (found.find()) {
      byte[] content = decoded(file, found.group(1));
      for (String algorithm : KEY_ALGORITHMS) {
        try {
          return KeyFactory.getInstance(algorithm)
              .generatePrivate(new PKCS8EncodedKeySpec(content));
        } catch (GeneralSecurityException e) {
          // Not of this algorithm; after the last one the error says what is supported.
        }
      }
    }
    throw noKey(file);
  }

  private static byte[] decoded(Path file, String base64) {
    try {
      return Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw noKey(file);
    }
  }

  private static void requireValid(Path file, X509Certificate own, Instant now) {
    try {
      own.checkValidity(Date.from(now));
    } catch (CertificateException e) {
      throw new ClusterException(
          Reason.CERTIFICATE_EXPIRED,
          "The certificate "
              + file
              + " is valid from "
              + own.getNotBefore().toInstant()
              + " to "
              + own.getNotAfter().toInstant()
              + ", and now it is "
              + now
              + ". Replace the certificate and its key; they are read without a restart.",
          e);
    }
  }

  /** Else the first connection would fail, with an error that does not say why. */
  private static void requirePair(TlsFiles files, X509Certificate own, PrivateKey key) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> "Ed25519";
        };
    boolean fits;
    try {
      byte[] sample = own.getSerialNumber().toByteArray();
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(sample);
      byte[] signed = signature.sign();
      signature.initVerify(own.getPublicKey());
      signature.update(sample);
      fits = signature.verify(signed);
    } catch (GeneralSecurityException e) {
      fits = false;
    }
    if (!fits) {
      throw new ClusterException(
          Reason.TLS_FILES,
          "The key "
              + files.key()
              + " does not fit the certificate "
              + files.certificate()
              + ". Copy both from one place; when you replace them, replace both.",
          null);
    }
  }

  private static ClusterException unreadable(Path file, @Nullable IOException cause) {
    return new ClusterException(
        Reason.TLS_FILES,
        "The file " + file + " cannot be read. Make it readable for the process of the node.",
        cause);
  }

  private static ClusterException noCertificate(Path file, @Nullable Exception cause) {
    return new ClusterException(
        Reason.TLS_FILES,
        "The file "
            + file
            + " has no certificate that can be read. It must have one in the PEM format.",
        cause);
  }

  private static ClusterException noKey(Path file) {
    return new ClusterException(
        Reason.TLS_FILES,
        "The file "
            + file
            + " has no private key in PKCS #8 without a password (BEGIN PRIVATE KEY), of P-256, RSA"
            + " or Ed25519. \"openssl pkcs8 -topk8 -nocrypt\" converts others.",
        null);
  }
}
