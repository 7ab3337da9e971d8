package dev.holdfast.http.monitor.object;

import java.util.List;

/**
 * The wanted scripts or connections. Immutable.
 *
 * @param seen what all searches have
 * @param urls parts of the URL, one of which it has; any if it is empty
 * @param excludeUrls parts of the URL, none of which it has
 * @param pageUrls the pages without their scheme, with {@code *} as in hosts; any if it is empty
 * @param excludesCdnCgi whether those of the service itself are left out
 * @param maliciousFirst whether malicious ones are first
 * @param excludesDuplicates whether one of the scripts with the same content is enough
 */
public record DetectionSearch(
    SeenSearch seen,
    List<String> urls,
    List<String> excludeUrls,
    List<String> pageUrls,
    boolean excludesCdnCgi,
    boolean maliciousFirst,
    boolean excludesDuplicates) {

  /** All that is active, without duplicates. */
  public static final DetectionSearch ACTIVE =
      new DetectionSearch(SeenSearch.ACTIVE, List.of(), List.of(), List.of(), true, false, true);

  /** Copies the lists. */
  public DetectionSearch {
    urls = List.copyOf(urls);
    excludeUrls = List.copyOf(excludeUrls);
    pageUrls = List.copyOf(pageUrls);
  }
}
