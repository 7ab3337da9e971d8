package dev.holdfast.log.ratis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** A self-signed certificate for the loopback address, and its key. */
final class Certificates {

  private static final char[] PASSWORD = "only for this test".toCharArray();
  private static final String ALIAS = "node";

  private Certificates() {}

  /** {@return what a node uses that trusts only its own certificate} */
  static LogTls in(Path directory) throws IOException, GeneralSecurityException {
    KeyStore keys = keysIn(Files.createDirectories(directory).resolve("keys"));
    KeyManagerFactory keyManagers = KeyManagerFactory.getInstance("SunX509");
    keyManagers.init(keys, PASSWORD);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
    TrustManagerFactory trustManagers = TrustManagerFactory.getInstance("PKIX");
    trustManagers.init(trusted);
    return new LogTls(
        (X509ExtendedKeyManager) keyManagers.getKeyManagers()[0],
        (X509ExtendedTrustManager) trustManagers.getTrustManagers()[0]);
  }

  private static KeyStore keysIn(Path file) throws IOException, GeneralSecurityException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.onExit().join().exitValue() != 0) {
      throw new IOException("keytool: " + said);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }
}
