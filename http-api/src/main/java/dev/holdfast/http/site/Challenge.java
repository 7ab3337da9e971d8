package dev.holdfast.http.site;

import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.SiteRequest;
import java.util.Optional;

/** Poses the challenges that the firewall decides on. Implementations are thread-safe. */
@FunctionalInterface
public interface Challenge {

  /** Poses none: every request that would be challenged is answered with the status 403. */
  Challenge REFUSE =
      (request, decision) ->
          Optional.of(new ApiResponse(403, SiteOptions.PLAIN_TEXT, "This request is refused.\n"));

  /**
   * Answers a request that the firewall challenges.
   *
   * @param request the request
   * @param decision the decision; its action is one of the challenges
   * @return the page with the challenge; empty if the client has solved it and the request passes
   */
  Optional<ApiResponse> answer(SiteRequest request, Decision decision);
}
