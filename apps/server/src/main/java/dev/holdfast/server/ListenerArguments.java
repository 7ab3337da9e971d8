package dev.holdfast.server;

import dev.holdfast.http.server.TlsKeys;
import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The addresses on which {@code serve} listens, and their key. Populated by the command line
 * library.
 */
final class ListenerArguments {

  private static final String LOOPBACK = "127.0.0.1";

  @Option(
      names = "--host",
      paramLabel = "HOST",
      defaultValue = LOOPBACK,
      description =
          "The address to listen on; one that other machines reach needs TLS or --insecure;"
              + " default: ${DEFAULT-VALUE}.")
  private String host = LOOPBACK;

  @Option(
      names = "--site-host",
      paramLabel = "HOST",
      description = "The address of the site; default: the value of --host.")
  private @Nullable String siteHost;

  @Option(
      names = "--tls-certificate",
      paramLabel = "FILE",
      description =
          "Serves with TLS and HTTP/2: the certificate of the server, followed by the certificates"
              + " of its issuers, as PEM.")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The private key of the certificate, as PEM in the form PKCS #8.")
  private @Nullable Path key;

  @Option(
      names = "--keystore",
      paramLabel = "FILE",
      description = "Serves with TLS and HTTP/2: a key store with the key and its certificates.")
  private @Nullable Path keyStore;

  @Option(
      names = "--keystore-password",
      paramLabel = "FILE",
      description = "A file with the password of the key store in its first line.")
  private @Nullable Path password;

  @Option(
      names = "--insecure",
      description =
          "Serves other machines without TLS, for example behind a proxy on another machine.")
  private boolean insecure;

  /** What the options say, once they are checked. */
  record Listeners(InetAddress api, InetAddress site, @Nullable SSLContext tls) {

    InetSocketAddress api(int port) {
      return new InetSocketAddress(api, port);
    }

    InetSocketAddress site(int port) {
      return new InetSocketAddress(site, port);
    }

    /** {@return the URL of a listener, without a path} */
    String url(InetSocketAddress listening) {
      String text = listening.getAddress().getHostAddress();
      return (tls == null ? "http://" : "https://")
          + (text.contains(":") ? "[" + text + "]" : text)
          + ":"
          + listening.getPort();
    }

    /**
     * {@return where browsers send reports, without a path; empty for the host of the page, because
     * no browser reaches a server at the address that stands for all of them}
     */
    String reportBase(InetSocketAddress listening) {
      return listening.getAddress().isAnyLocalAddress() ? "" : url(listening);
    }
  }

  /**
   * Checks the options before anything is opened.
   *
   * @throws WrongInputException if one is wrong, or two contradict each other
   */
  Listeners check() {
    @Nullable SSLContext tls = tls();
    InetAddress api = address("--host", host, tls);
    InetAddress site = siteHost == null ? api : address("--site-host", siteHost, tls);
    return new Listeners(api, site, tls);
  }

  private InetAddress address(String option, String name, @Nullable SSLContext tls) {
    try {
      InetAddress address = InetAddress.getByName(name);
      if (!address.isLoopbackAddress() && tls == null && !insecure) {
        throw new WrongInputException(
            option
                + " "
                + name
                + " is reached by other machines: add --tls-certificate and --tls-key, or"
                + " --keystore, or --insecure");
      }
      return address;
    } catch (UnknownHostException e) {
      throw new WrongInputException(option + " is not an address of this machine: " + name);
    }
  }

  private @Nullable SSLContext tls() {
    Path pem = certificate;
    Path secret = key;
    Path store = keyStore;
    Path storePassword = password;
    if ((pem == null) != (secret == null)) {
      throw new WrongInputException("--tls-certificate and --tls-key belong together");
    }
    if ((store == null) != (storePassword == null)) {
      throw new WrongInputException("--keystore and --keystore-password belong together");
    }
    if (pem != null && store != null) {
      throw new WrongInputException("there is either --tls-certificate or --keystore");
    }
    try {
      if (pem != null && secret != null) {
        return TlsKeys.ofPem(pem, secret);
      }
      if (store != null && storePassword != null) {
        String line = Files.readString(storePassword).lines().findFirst().orElse("");
        return TlsKeys.ofKeyStore(store, line.toCharArray());
      }
      return null;
    } catch (IOException e) {
      @Nullable Throwable cause = e.getCause();
      throw new WrongInputException(
          e.getClass() == IOException.class
              ? e.getMessage() + (cause == null ? "" : ": " + cause.getMessage())
              : "cannot read a file of the key: " + e);
    }
  }
}
