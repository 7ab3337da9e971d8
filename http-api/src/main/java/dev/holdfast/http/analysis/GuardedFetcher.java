package dev.holdfast.http.analysis;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Fetches scripts over http and https, but never from a private, local or special address, wherever
 * a name or a redirect leads: the URLs are chosen by whoever sends reports. At most 300 KiB, 3
 * redirects, 5 seconds each. Thread-safe.
 *
 * <p>A name is resolved before each request and again by the client; set the JDK's address cache
 * ({@code networkaddress.cache.ttl}, 30 seconds by default) to more than 5 seconds, or a name
 * server could give another address the second time.
 */
public final class GuardedFetcher implements ScriptFetcher {

  private static final int CONTENT_BYTES_MAX = 300 * 1_024;
  private static final int REDIRECTS_MAX = 3;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final HttpClient client;

  /** Creates a fetcher. */
  public GuardedFetcher() {
    client =
        HttpClient.newBuilder().followRedirects(Redirect.NEVER).connectTimeout(TIMEOUT).build();
  }

  @Override
  public byte[] fetch(URI url) throws IOException, InterruptedException {
    URI at = url;
    for (int redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      check(at);
      HttpRequest request = HttpRequest.newBuilder(at).timeout(TIMEOUT).GET().build();
      HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
      try (InputStream in = response.body()) {
        int status = response.statusCode();
        if (status >= 300 && status < 400) {
          String location = response.headers().firstValue("Location").orElse("");
          at = resolve(at, location);
          continue;
        }
        if (status != 200) {
          throw new IOException(url + " answered " + status);
        }
        byte[] content = in.readNBytes(CONTENT_BYTES_MAX + 1);
        if (content.length > CONTENT_BYTES_MAX) {
          throw new IOException(url + " is longer than " + CONTENT_BYTES_MAX + " bytes");
        }
        return content;
      }
    }
    throw new IOException(url + " redirects more than " + REDIRECTS_MAX + " times");
  }

  private static URI resolve(URI from, String location) throws IOException {
    try {
      return from.resolve(location);
    } catch (IllegalArgumentException e) {
      throw new IOException(from + " redirects to what is no URL", e);
    }
  }

  /**
   * Refuses a URL that must not be fetched.
   *
   * @param url the URL
   * @throws IOException if it is not of http or https, or leads to an address that is not public
   */
  static void check(URI url) throws IOException {
    String scheme = url.getScheme() == null ? "" : url.getScheme();
    if (!scheme.equalsIgnoreCase("http") && !scheme.equalsIgnoreCase("https")) {
      throw new IOException(url + " is not of http or https");
    }
    if (url.getHost() == null || url.getRawUserInfo() != null) {
      throw new IOException(url + " has no plain host");
    }
    for (InetAddress address : InetAddress.getAllByName(url.getHost())) {
      if (!isPublic(address)) {
        throw new IOException(
            url + " leads to " + address.getHostAddress() + ", which is not public");
      }
    }
  }

  static boolean isPublic(InetAddress address) {
    if (address.isLoopbackAddress()
        || address.isAnyLocalAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return false;
    }
    byte[] b = address.getAddress();
    int first = b[0] & 255;
    int second = b[1] & 255;
    if (b.length == 4) {
      return !(first == 0
          || first >= 240
          || (first == 100 && second >= 64 && second < 128)
          || (first == 192 && second == 0)
          || (first == 198 && (second == 18 || second == 19)));
    }
    // Unique local, addresses that embed one of version 4 (NAT64, 6to4, Teredo), documentation.
    boolean embeds =
        (first == 0x00 && second == 0x64)
            || (first == 0x20 && second == 0x02)
            || (first == 0x20 && second == 0x01 && b[2] == 0)
            || first == 0x00;
    return (first & 0xFE) != 0xFC && !embeds;
  }
}
