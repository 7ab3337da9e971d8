package dev.holdfast.http.server.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate for one host, with the contexts that have it and that trust it. */
public final class SelfSignedCertificate {

  /** The password of the key store. */
  public static final String PASSWORD = "only for this test";

  private final Path file;
  private final KeyStore keys;

  /** Makes a certificate. */
  public SelfSignedCertificate(String host, Path directory) throws Exception {
    Path file = directory.resolve("keys");
    this.file = file;
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + host,
                "-ext",
                "SAN=dns:" + host,
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool: " + said);
    }
    keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD.toCharArray());
    }
  }

  /** {@return TLS that shows the certificate, and trusts nothing but it} */
  public SSLContext context() throws GeneralSecurityException {
    KeyManagerFactory shown =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    shown.init(keys, PASSWORD.toCharArray());
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(keys);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(shown.getKeyManagers(), trusted.getTrustManagers(), null);
    return context;
  }

  /** {@return the key store, in the form PKCS #12} */
  public Path keyStore() {
    return file;
  }

  /** {@return the certificate, in the form PEM} */
  public String certificatePem() throws GeneralSecurityException {
    return pem("CERTIFICATE", keys.getCertificate("mykey").getEncoded());
  }

  /** {@return the private key, in the form PEM} */
  public String keyPem() throws GeneralSecurityException {
    return pem("PRIVATE KEY", keys.getKey("mykey", PASSWORD.toCharArray()).getEncoded());
  }

  private static String pem(String kind, byte[] encoded) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(kind, Base64.getMimeEncoder().encodeToString(encoded), kind);
  }
}
