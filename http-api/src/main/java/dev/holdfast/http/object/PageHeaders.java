package dev.holdfast.http.object;

import java.util.List;

/**
 * The headers that a zone adds to a response. Immutable.
 *
 * @param policies the policies, in order
 * @param vendorEndpoint whether reports go to the vendor's own host instead of the page's host
 */
public record PageHeaders(List<PagePolicy> policies, boolean vendorEndpoint) {
  /** Copies the list. */
  public PageHeaders {
    policies = List.copyOf(policies);
  }
}
