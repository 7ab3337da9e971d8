package dev.holdfast.http.monitor.object;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cookie that pages set or were sent, as a browser keeps it; bounded, and untrusted input.
 * Immutable.
 *
 * @param name its name
 * @param host the host of the pages
 * @param domain the attribute, or the host
 * @param path the attribute, or the directory of the page
 * @param expires the attribute, or null
 * @param maxAge the attribute in seconds, or null
 * @param sameSite lax, strict or none
 * @param secure whether it has the attribute
 * @param httpOnly whether it has the attribute
 * @param isSet whether a response has set it; otherwise a request has sent it, which has less
 *     information
 * @param pages the pages, without scheme, query and fragment, the newest first
 * @param seenAt when it was last seen
 */
public record SeenCookie(
    String name,
    String host,
    String domain,
    String path,
    @Nullable Instant expires,
    @Nullable Long maxAge,
    String sameSite,
    boolean secure,
    boolean httpOnly,
    boolean isSet,
    List<String> pages,
    Instant seenAt) {

  /** Copies the list. */
  public SeenCookie {
    pages = List.copyOf(pages);
  }

  /**
   * {@return this cookie with other pages}
   *
   * @param other the pages, the newest first
   */
  public SeenCookie withPages(List<String> other) {
    return new SeenCookie(
        name, host, domain, path, expires, maxAge, sameSite, secure, httpOnly, isSet, other,
        seenAt);
  }
}
