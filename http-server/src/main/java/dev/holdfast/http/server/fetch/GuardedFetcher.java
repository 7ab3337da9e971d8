package dev.holdfast.http.server.fetch;

import dev.holdfast.http.analysis.ScriptFetcher;
import dev.holdfast.http.server.internal.ServerBounds;
import dev.holdfast.http.url.WebUrl;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Fetches scripts over http and https, but never from a private, local or special address, even if
 * a name or a redirect leads to one: the sender of a report chooses the URL. At most 300 KiB, 3
 * redirects, 5 seconds each plus the time of the system's resolver. Thread-safe.
 *
 * <p>A name is resolved once for each request, and the connection goes to an address that was
 * checked: a name server that returns a different answer the next time gains nothing. For this
 * reason the class implements HTTP itself; the client of the JDK resolves names on its own.
 */
public final class GuardedFetcher implements ScriptFetcher {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Resolver resolver;
  private final Predicate<InetAddress> allowed;
  private final SSLSocketFactory tls;

  /** Finds the addresses of a host. */
  interface Resolver {
    InetAddress[] resolve(String host) throws IOException;
  }

  /** Creates a fetcher. */
  public GuardedFetcher() {
    this(
        InetAddress::getAllByName,
        PublicAddress::isPublic,
        (SSLSocketFactory) SSLSocketFactory.getDefault());
  }

  GuardedFetcher(Resolver resolver, Predicate<InetAddress> allowed, SSLSocketFactory tls) {
    this.resolver = resolver;
    this.allowed = allowed;
    this.tls = tls;
  }

  @Override
  public byte[] fetch(WebUrl url) throws IOException, InterruptedException {
    WebUrl at = url;
    for (int redirects = 0; redirects <= ServerBounds.REDIRECTS_MAX; redirects++) {
      FetchedResponse response = get(at);
      if (response.isRedirect()) {
        at = resolve(at, response.location());
      } else if (response.status() == 200) {
        return response.body();
      } else {
        throw new IOException(url + " answered " + response.status());
      }
    }
    throw new IOException(url + " redirects more than " + ServerBounds.REDIRECTS_MAX + " times");
  }

  private static WebUrl resolve(WebUrl from, String location) throws IOException {
    return from.resolve(location)
        .orElseThrow(() -> new IOException(from + " redirects to a URL that is not http or https"));
  }

  private FetchedResponse get(WebUrl url) throws IOException {
    checkKind(url);
    boolean secure = url.isSecure();
    String host = url.host();
    int port = url.port();
    InetSocketAddress address = new InetSocketAddress(checkedAddress(url, host), port);
    try (Socket socket = new Socket()) {
      // A time-out of the socket would restart with every byte.
      CompletableFuture<Void> timeout =
          CompletableFuture.runAsync(
              () -> close(socket),
              CompletableFuture.delayedExecutor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
      try {
        socket.connect(address, (int) TIMEOUT.toMillis());
        if (!secure) {
          return exchange(socket, url);
        }
        try (SSLSocket wrapped = (SSLSocket) tls.createSocket(socket, host, port, true)) {
          SSLParameters parameters = wrapped.getSSLParameters();
          parameters.setEndpointIdentificationAlgorithm("HTTPS");
          wrapped.setSSLParameters(parameters);
          return exchange(wrapped, url);
        }
      } catch (IOException e) {
        throw timeout.isDone() ? new IOException(url + " took longer than " + TIMEOUT, e) : e;
      } finally {
        timeout.cancel(false);
      }
    }
  }

  private static FetchedResponse exchange(Socket socket, WebUrl url) throws IOException {
    FetchedResponse.writeRequest(socket.getOutputStream(), url);
    return FetchedResponse.read(
        new BufferedInputStream(socket.getInputStream()), ServerBounds.FETCHED_CONTENT_BYTES_MAX);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Then the socket was closed already, or reading from it fails as well.
      System.getLogger("dev.holdfast.http").log(System.Logger.Level.DEBUG, "close", e);
    }
  }

  private static void checkKind(WebUrl url) throws IOException {
    if (!url.scheme().startsWith("http")) {
      throw new IOException(url + " is not an http or https URL");
    }
    if (url.hasUser()) {
      throw new IOException(url + " contains user information");
    }
  }

  /**
   * Checks all addresses of the host: one address that is not public shows the purpose of the name.
   */
  private InetAddress checkedAddress(WebUrl url, String host) throws IOException {
    InetAddress[] addresses = resolver.resolve(host);
    for (InetAddress address : addresses) {
      if (!allowed.test(address)) {
        throw new IOException(
            url + " leads to " + address.getHostAddress() + ", which is not public");
      }
    }
    return addresses[0];
  }
}
