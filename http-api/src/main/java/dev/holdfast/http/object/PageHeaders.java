package dev.holdfast.http.object;

import java.util.List;

/**
 * What a zone adds to a response. Immutable.
 *
 * @param policies the policies, in order
 * @param vendorEndpoint whether reports go to the vendor's own host and not to that of the page
 */
public record PageHeaders(List<PagePolicy> policies, boolean vendorEndpoint) {
  /** Copies the list. */
  public PageHeaders {
    policies = List.copyOf(policies);
  }
}
