package dev.holdfast.http.monitor.object;

import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A request for a page. Immutable.
 *
 * @param url the URL of the page
 * @param fields what the expressions of policies read
 * @param headers its headers, by their names in lower case
 */
public record PageRequest(WebUrl url, FilterRequest fields, Map<String, List<String>> headers) {

  /**
   * {@return a request}
   *
   * @param method its method
   * @param url the URL of the page
   * @param headers its headers, by their names in lower case
   * @param now its time
   */
  public static PageRequest of(
      String method, WebUrl url, Map<String, List<String>> headers, Instant now) {
    return new PageRequest(url, FilterRequest.ofHttp(method, url, headers, now), headers);
  }
}
