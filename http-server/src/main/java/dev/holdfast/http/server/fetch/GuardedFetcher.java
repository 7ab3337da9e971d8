package dev.holdfast.http.server.fetch;

import dev.holdfast.http.analysis.ScriptFetcher;
import dev.holdfast.http.server.internal.ServerBounds;
import dev.holdfast.http.url.WebUrl;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Fetches scripts over http and https, but never from a private, local or special address, even if
 * a name or a redirect leads to one: the sender of a report chooses the URL. At most 300 KiB, 3
 * redirects, 5 seconds each plus the time of the system's resolver. Thread-safe; it has two threads
 * until it is closed, which do not keep a process from ending.
 *
 * <p>A name is resolved once for each request, and the connection goes to an address that was
 * checked: a name server that returns a different answer the next time gains nothing. The client of
 * the JDK resolves names on its own; Jetty's takes the addresses from this class, and each
 * connection is for one request.
 */
public final class GuardedFetcher implements ScriptFetcher, AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int THREADS = 4;

  private final Resolver resolver;
  private final Predicate<InetAddress> allowed;
  private final HttpClient client;

  /** Finds the addresses of a host. */
  interface Resolver {
    InetAddress[] resolve(String host) throws IOException;
  }

  /** Creates a fetcher. */
  public GuardedFetcher() {
    this(InetAddress::getAllByName, PublicAddress::isPublic, defaultContext());
  }

  GuardedFetcher(Resolver resolver, Predicate<InetAddress> allowed, SSLContext tls) {
    this.resolver = resolver;
    this.allowed = allowed;
    this.client = client(tls);
    client.setSocketAddressResolver(
        (host, port, context, addresses) -> resolve(host, port, addresses));
    try {
      client.start();
    } catch (Exception e) {
      throw new IllegalStateException("no client can be started for scripts", e);
    }
  }

  private static SSLContext defaultContext() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java platform has no TLS", e);
    }
  }

  private static HttpClient client(SSLContext tls) {
    // Checks the certificate against the name.
    SslContextFactory.Client secure = new SslContextFactory.Client();
    secure.setSslContext(tls);
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, 1);
    threads.setName("holdfast-fetch");
    threads.setDaemon(true);
    threads.setReservedThreads(0);
    ClientConnector connector = new ClientConnector();
    connector.setSslContextFactory(secure);
    connector.setSelectors(1);
    connector.setConnectTimeout(TIMEOUT);
    connector.setExecutor(threads);
    HttpClient client = new HttpClient(new HttpClientTransportOverHTTP(connector));
    client.setExecutor(threads);
    client.setFollowRedirects(false);
    client.setHttpCookieStore(new HttpCookieStore.Empty());
    client.setUserAgentField(null);
    client.setMaxResponseHeadersSize(ServerBounds.FETCHED_HEAD_BYTES_MAX);
    return client;
  }

  @Override
  public byte[] fetch(WebUrl url) throws IOException, InterruptedException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    @Nullable WebUrl at = url;
    for (int redirects = 0; redirects <= ServerBounds.REDIRECTS_MAX; redirects++) {
      at = get(at, content);
      if (at == null) {
        return content.toByteArray();
      }
    }
    throw new IOException(url + " redirects more than " + ServerBounds.REDIRECTS_MAX + " times");
  }

  private static WebUrl target(WebUrl from, @Nullable String location) throws IOException {
    return from.resolve(location == null ? "" : location)
        .orElseThrow(() -> new IOException(from + " redirects to a URL that is not http or https"));
  }

  /** {@return where the answer redirects to; null if the content was read} */
  private @Nullable WebUrl get(WebUrl url, ByteArrayOutputStream content)
      throws IOException, InterruptedException {
    checkKind(url);
    // Not from its text: scripts have addresses that java.net.URI refuses.
    Request request =
        client
            .newRequest(url.host(), url.port())
            .scheme(url.scheme())
            .path(url.target())
            .timeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
            .headers(
                headers -> {
                  headers.put(HttpHeader.ACCEPT, "*/*");
                  headers.put(HttpHeader.ACCEPT_ENCODING, HttpHeaderValue.IDENTITY.asString());
                  headers.put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
                });
    // Gives each network buffer back once it is read: a host that sends single bytes holds one.
    InputStreamResponseListener listener = new InputStreamResponseListener();
    request.send(listener);
    try (InputStream body = listener.getInputStream()) {
      Response head = listener.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      if (head.getStatus() == 200) {
        read(url, body, content);
        return null;
      }
      // The body of any other answer is not awaited.
      if (head.getStatus() < 300 || head.getStatus() >= 400) {
        throw new IOException(url + " answered " + head.getStatus());
      }
      return target(url, head.getHeaders().get(HttpHeader.LOCATION));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failed
          ? failed
          : new IOException(url + " cannot be fetched: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new IOException(url + " did not answer in " + TIMEOUT.toSeconds() + " seconds", e);
    }
  }

  private static void read(WebUrl url, InputStream body, ByteArrayOutputStream content)
      throws IOException {
    content.writeBytes(body.readNBytes(ServerBounds.FETCHED_CONTENT_BYTES_MAX + 1));
    if (content.size() > ServerBounds.FETCHED_CONTENT_BYTES_MAX) {
      throw new IOException(
          url + " is longer than " + ServerBounds.FETCHED_CONTENT_BYTES_MAX + " bytes");
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
   * Checks all addresses of a host: one address that is not public shows the purpose of the name.
   */
  private void resolve(String host, int port, Promise<List<InetSocketAddress>> addresses) {
    try {
      InetAddress[] found = resolver.resolve(host);
      for (InetAddress address : found) {
        if (!allowed.test(address)) {
          throw new IOException(
              host + " leads to " + address.getHostAddress() + ", which is not public");
        }
      }
      // The certificate is checked against the name that the address has.
      InetAddress named = InetAddress.getByAddress(host, found[0].getAddress());
      addresses.succeeded(List.of(new InetSocketAddress(named, port)));
    } catch (IOException e) {
      addresses.failed(e);
    }
  }

  /** Ends its threads; fetches in flight fail. */
  @Override
  public void close() {
    try {
      client.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the client for scripts cannot be stopped", e);
    }
  }
}
