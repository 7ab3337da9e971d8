package dev.holdfast.log.ratis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Objects;

/** A self-signed certificate for the loopback address and its key, as files in PEM. */
final class PemFiles {

  private static final char[] PASSWORD = "only for this test".toCharArray();
  private static final String ALIAS = "node";

  private PemFiles() {}

  /** {@return files of a node that trusts only its own certificate} */
  static TlsFiles in(Path directory) throws IOException, GeneralSecurityException {
    KeyStore keys = keysIn(Files.createDirectories(directory).resolve("keys"));
    Path certificate = directory.resolve("node.pem");
    Path key = directory.resolve("node.key");
    write(certificate, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
    write(key, "PRIVATE KEY", Objects.requireNonNull(keys.getKey(ALIAS, PASSWORD)).getEncoded());
    return new TlsFiles(certificate, key, certificate);
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

  private static void write(Path file, String what, byte[] bytes) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Files.writeString(
        file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
  }
}
