package dev.holdfast.http.monitor.object;

import dev.holdfast.http.object.RefusedException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The wanted cookies: those that fit all that is not null. Immutable.
 *
 * @param seen what all searches have
 * @param names the names, with {@code *} as in hosts; any if it is empty
 * @param pageUrls the pages without their scheme, with {@code *} as in hosts; any if it is empty
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
    List<String> pageUrls,
    @Nullable Boolean secure,
    @Nullable Boolean httpOnly,
    @Nullable String sameSite,
    @Nullable String type,
    @Nullable String path,
    @Nullable String domain) {

  /** The longest text to search for, in characters. */
  private static final int TEXT_LENGTH_MAX = 1_024;

  /** All active cookies. */
  public static final CookieSearch ACTIVE =
      new CookieSearch(SeenSearch.ACTIVE, List.of(), List.of(), null, null, null, null, null, null);

  /**
   * Copies the lists.
   *
   * @throws RefusedException if a text is longer than that of a cookie
   */
  public CookieSearch {
    names = names(names);
    pageUrls = List.copyOf(pageUrls);
    path = bounded("path", path);
    domain = bounded("domain", domain);
  }

  /**
   * {@return the names of cookies}
   *
   * @param patterns the names, with {@code *} as in hosts
   * @throws RefusedException if one is too long
   */
  public static List<String> names(List<String> patterns) {
    patterns.forEach(name -> bounded("name", name));
    return List.copyOf(patterns);
  }

  private static @Nullable String bounded(String parameter, @Nullable String text) {
    if (text != null && text.length() > TEXT_LENGTH_MAX) {
      throw RefusedException.badParameter(
          parameter, "of at most " + TEXT_LENGTH_MAX + " characters");
    }
    return text;
  }
}
