package dev.holdfast.http.firewall;

import java.util.List;
import java.util.Set;

/**
 * Rules that an application or a third party maintains. Registered by a ruleset id, which the entry
 * point of a zone executes ({@code HttpApiOptions.withManagedRuleset}). The firewall applies the
 * overrides of the entry point; the ruleset only says what a request matches. Implementations are
 * thread-safe and fast: they run for each request that the entry point selects.
 */
public interface ManagedRuleset {

  /** {@return the rules, in the order of evaluation; always the same} */
  List<ManagedRule> rules();

  /**
   * Returns the rules that a request matches, whether they are enabled or not. Called at most once
   * for a request. A ruleset that throws matches nothing; the firewall counts and logs it.
   *
   * @param request the request; its URL is absolute
   * @return the ids of rules without a threshold
   */
  Set<String> matching(SiteRequest request);
}
