package dev.holdfast.http.monitor.object;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A script or connection that pages use. Times are texts. Immutable.
 *
 * @param id its id
 * @param url its URL
 * @param host the host of the pages
 * @param status active, infrequent or inactive
 * @param addedAt when it was listed
 * @param firstSeenAt when it was first seen
 * @param lastSeenAt when it was last seen
 * @param firstPageUrl the first page
 * @param urlContainsCdnCgiPath whether it belongs to the service
 * @param newest the newest scores of a script; null if there are none
 * @param domainCategories what is said of its host
 * @param urlCategories what is said of its URL
 * @param pageUrls the newest pages; null in lists
 * @param versions the kept scores of a script, the newest first; null in lists
 */
public record Detection(
    String id,
    String url,
    String host,
    String status,
    String addedAt,
    String firstSeenAt,
    String lastSeenAt,
    String firstPageUrl,
    boolean urlContainsCdnCgiPath,
    @Nullable ScriptVersion newest,
    List<String> domainCategories,
    List<String> urlCategories,
    @Nullable List<String> pageUrls,
    @Nullable List<ScriptVersion> versions) {

  /** Copies the lists; those that are missing in a row are empty. */
  public Detection {
    domainCategories = copy(domainCategories);
    urlCategories = copy(urlCategories);
  }

  private static List<String> copy(@Nullable List<String> categories) {
    return categories == null ? List.of() : List.copyOf(categories);
  }

  /**
   * {@return this detection with what is said of it}
   *
   * @param ofDomain of its host
   * @param ofUrl of its URL
   */
  public Detection withCategories(List<String> ofDomain, List<String> ofUrl) {
    return new Detection(
        id,
        url,
        host,
        status,
        addedAt,
        firstSeenAt,
        lastSeenAt,
        firstPageUrl,
        urlContainsCdnCgiPath,
        newest,
        ofDomain,
        ofUrl,
        pageUrls,
        versions);
  }
}
