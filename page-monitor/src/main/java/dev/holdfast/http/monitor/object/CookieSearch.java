package dev.holdfast.http.monitor.object;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wanted cookies: those that fit all that is not null. Immutable.
 *
 * @param seen what all searches have
 * @param names the names, with {@code *} as in hosts; any if it is empty
 * @param secure whether it has the attribute
 * @param httpOnly whether it has the attribute
 * @param sameSite lax, strict or none
 * @param type {@code first_party} or {@code unknown}
 * @param path the path
 * @param domain the domain
 */
public record CookieSearch(
    SeenSearch seen,
    List<String> names,
    @Nullable Boolean secure,
    @Nullable Boolean httpOnly,
    @Nullable String sameSite,
    @Nullable String type,
    @Nullable String path,
    @Nullable String domain) {

  /** All active cookies. */
  public static final CookieSearch ACTIVE =
      new CookieSearch(SeenSearch.ACTIVE, List.of(), null, null, null, null, null, null);

  /** Copies the list. */
  public CookieSearch {
    names = List.copyOf(names);
  }
}
