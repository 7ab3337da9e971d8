package dev.holdfast.http.firewall;

import dev.holdfast.http.address.NetworkAddress;
import dev.holdfast.http.url.RequestTarget;
import dev.holdfast.http.url.WebUrl;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request to a site in canonical form: made once, judged by the rules, and sent on to the site as
 * it is. The URL is that of {@link WebUrl#requestTarget}, the header {@code Host} is that of the
 * URL, the lines of cookies are one, and the address of the client has one form. A request that a
 * site could read differently is {@linkplain #refusal refused}. Immutable, if its body is not
 * changed.
 */
public final class SiteRequest {

  /** Letters of a method are capitals: no registered method has others, and servers differ. */
  private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Z-]{1,64}");

  /** Of later versions, rules name no minor number. */
  private static final Pattern MINOR_ZERO = Pattern.compile("HTTP/[2-9]\\.0");

  private static final int PROTOCOL_LENGTH = "HTTP/2".length();

  private static final Pattern LENGTH = Pattern.compile("[0-9]+");

  /** Headers of one line: of more, each server chooses another one. */
  private static final Set<String> SINGLE =
      Set.of(
          """
          authorization content-encoding content-length content-location content-type expect from
          host if-modified-since if-range if-unmodified-since max-forwards origin
          proxy-authorization range referer user-agent
          """
              .split("\\s+"));

  /** More headers that rules judge or that a proxy writes, of which a site must see those. */
  private static final Set<String> JUDGED =
      Set.of(
          """
          accept-language cookie forwarded transfer-encoding x-api-version x-original-url x-real-ip
          x-rewrite-url
          """
              .split("\\s+"));

  /** What {@code Connection} may name: no site sees these, and none needs them. */
  private static final Set<String> OF_THE_CONNECTION =
      Set.of("http2-settings", "keep-alive", "proxy-connection", "te", "trailer", "upgrade");

  private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final String method;
  private final String receivedUrl;
  private final @Nullable WebUrl webUrl;
  private final @Nullable RequestTarget target;
  private final Map<String, List<String>> headers;
  private final String client;
  private final String version;
  private final ByteBuffer body;
  private final boolean bodyCut;
  private final @Nullable Refusal refusal;

  /**
   * Why a request reaches no site.
   *
   * @param status the HTTP status of the answer
   * @param reason what is wrong, for the client
   */
  public record Refusal(int status, String reason) {}

  private SiteRequest(
      String method,
      String receivedUrl,
      @Nullable WebUrl webUrl,
      @Nullable RequestTarget target,
      Map<String, List<String>> headers,
      String client,
      String version,
      ByteBuffer body,
      boolean bodyCut,
      @Nullable Refusal refusal) {
    this.method = method;
    this.receivedUrl = receivedUrl;
    this.webUrl = webUrl;
    this.target = target;
    this.headers = headers;
    this.client = client;
    this.version = version;
    this.body = body;
    this.bodyCut = bodyCut;
    this.refusal = refusal;
  }

  /**
   * {@return a request without a body}
   *
   * @param method the HTTP method as received
   * @param url the absolute URL, with the host and the target as received
   * @param headers the values in order, by name; names that differ only in case are one
   * @param client the address of the client, IPv4 or IPv6
   */
  public static SiteRequest of(
      String method, String url, Map<String, List<String>> headers, String client) {
    Map<String, List<String>> lines = lines(headers);
    @Nullable Refusal refusal = refusal(method, lines);
    @Nullable WebUrl parsed = WebUrl.parse(url).orElse(null);
    @Nullable RequestTarget target = null;
    try {
      target = parsed == null ? null : parsed.requestTarget();
    } catch (IllegalArgumentException e) {
      refusal = new Refusal(400, "This address cannot be read: " + e.getMessage() + ".");
    }
    if (parsed == null) {
      refusal = new Refusal(400, "This address cannot be read.");
    } else {
      // HTTP/2 has no such line, and clients write a host in several ways.
      lines.put("host", List.of(parsed.authority()));
    }
    return new SiteRequest(
        method,
        url,
        parsed,
        target,
        lines,
        Objects.requireNonNullElse(NetworkAddress.canonical(client), client),
        "",
        NO_BODY,
        false,
        refusal);
  }

  private static Map<String, List<String>> lines(Map<String, List<String>> headers) {
    Map<String, List<String>> lines = LinkedHashMap.newLinkedHashMap(headers.size());
    headers.forEach(
        (name, values) ->
            lines.merge(
                name.toLowerCase(Locale.ROOT),
                List.copyOf(values),
                (first, more) -> Stream.concat(first.stream(), more.stream()).toList()));
    // HTTP/2 sends each cookie as a line of its own (RFC 9113, 8.2.3).
    lines.computeIfPresent("cookie", (name, all) -> List.of(String.join("; ", all)));
    return lines;
  }

  private static @Nullable Refusal refusal(String method, Map<String, List<String>> lines) {
    if (!METHOD.matcher(method).matches()) {
      return new Refusal(501, "This method is not known.");
    }
    Set<String> forms = new HashSet<>();
    for (Map.Entry<String, List<String>> line : lines.entrySet()) {
      String name = line.getKey();
      if (line.getValue().size() > 1 && SINGLE.contains(name)) {
        return new Refusal(400, "The header " + name + " is repeated.");
      }
      String hyphens = name.replace('_', '-');
      if (!forms.add(hyphens) || (!name.equals(hyphens) && isOfTheRequest(hyphens))) {
        return new Refusal(400, "A header looks like " + hyphens + ", with an underscore.");
      }
    }
    for (String length : lines.getOrDefault("content-length", List.of())) {
      if (!LENGTH.matcher(length).matches()) {
        return new Refusal(400, "The length of the body is not a number.");
      }
    }
    // A proxy removes what this header names: the site would not see what rules have judged.
    String options = String.join(",", lines.getOrDefault("connection", List.of()));
    for (String option : options.split(",", -1)) {
      String name = option.strip().toLowerCase(Locale.ROOT);
      boolean isRemoved = lines.containsKey(name) && !OF_THE_CONNECTION.contains(name);
      if (isRemoved || isOfTheRequest(name)) {
        return new Refusal(400, "The header " + name + " is not one of the connection.");
      }
    }
    return null;
  }

  /**
   * {@return whether rules judge a header, or a proxy writes it, so that the site must see that
   * one}
   *
   * @param name its name in lower case
   */
  public static boolean isOfTheRequest(String name) {
    return SINGLE.contains(name) || JUDGED.contains(name) || name.startsWith("x-forwarded-");
  }

  /**
   * {@return this request with a body}
   *
   * @param bytes the body, or its beginning, without a coding such as gzip; not copied
   * @param isCut whether the body is longer
   */
  public SiteRequest withBody(ByteBuffer bytes, boolean isCut) {
    return new SiteRequest(
        method,
        receivedUrl,
        webUrl,
        target,
        headers,
        client,
        version,
        bytes.asReadOnlyBuffer(),
        isCut,
        refusal);
  }

  /**
   * {@return this request with a body that was decoded: without the header of its coding, and with
   * its length if it had one}
   *
   * @param bytes the whole body, without its coding; not copied
   */
  public SiteRequest withDecodedBody(ByteBuffer bytes) {
    Map<String, List<String>> lines = new LinkedHashMap<>(headers);
    lines.remove("content-encoding");
    lines.computeIfPresent(
        "content-length", (name, length) -> List.of(Integer.toString(bytes.remaining())));
    return new SiteRequest(
        method,
        receivedUrl,
        webUrl,
        target,
        lines,
        client,
        version,
        bytes.asReadOnlyBuffer(),
        false,
        refusal);
  }

  /**
   * {@return this request, refused}
   *
   * @param why the reason
   */
  public SiteRequest refused(Refusal why) {
    return new SiteRequest(
        method, receivedUrl, webUrl, target, headers, client, version, body, bodyCut, why);
  }

  /**
   * {@return this request with the version of HTTP with which it came}
   *
   * @param protocol the version as a server writes it, such as {@code HTTP/1.1} or {@code HTTP/2.0}
   */
  public SiteRequest withVersion(String protocol) {
    String shown =
        MINOR_ZERO.matcher(protocol).matches() ? protocol.substring(0, PROTOCOL_LENGTH) : protocol;
    return new SiteRequest(
        method, receivedUrl, webUrl, target, headers, client, shown, body, bodyCut, refusal);
  }

  /** {@return why this request reaches no site; empty if rules decide} */
  public Optional<Refusal> refusal() {
    return Optional.ofNullable(refusal);
  }

  /** {@return the HTTP method, as received} */
  public String method() {
    return method;
  }

  /** {@return the absolute URL; as received if the request is refused} */
  public String url() {
    return webUrl == null || target == null ? receivedUrl : webUrl.origin() + target;
  }

  /** {@return the absolute URL as received} */
  public String receivedUrl() {
    return receivedUrl;
  }

  /** {@return the URL as received, parsed; empty if it is none} */
  public Optional<WebUrl> webUrl() {
    return Optional.ofNullable(webUrl);
  }

  /** {@return path and query; empty if they have no canonical form} */
  public Optional<RequestTarget> target() {
    return Optional.ofNullable(target);
  }

  /** {@return the values in order, by name in lower case} */
  public Map<String, List<String>> headers() {
    return Collections.unmodifiableMap(headers);
  }

  /**
   * {@return the values of a header, empty if there is none}
   *
   * @param name its name in lower case
   */
  public List<String> header(String name) {
    return headers.getOrDefault(name, List.of());
  }

  /** {@return the address of the client, in one form; as given if it is no address} */
  public String client() {
    return client;
  }

  /** {@return the version of HTTP, such as {@code HTTP/1.1} or {@code HTTP/2}; empty if unknown} */
  public String version() {
    return version;
  }

  /** {@return the body, or its beginning; empty if there is none or it was not read} */
  public ByteBuffer body() {
    return body;
  }

  /** {@return whether the body is longer than {@link #body}} */
  public boolean bodyCut() {
    return bodyCut;
  }
}
