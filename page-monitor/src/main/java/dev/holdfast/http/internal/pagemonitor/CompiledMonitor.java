package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterWork;
import dev.holdfast.http.expression.FilterWorkException;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.monitor.object.PagePolicy;
import dev.holdfast.http.monitor.object.ZoneMonitor;
import dev.holdfast.http.monitor.object.ZoneMonitor.StoredPolicy;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.object.ZoneProfile;
import dev.holdfast.http.url.WebUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One version of the monitor of a zone, ready for pages. Immutable and thread-safe. */
public final class CompiledMonitor {

  /**
   * Allows nothing and blocks nothing, so that a browser reports everything; of images, which pages
   * have many of, those of other origins.
   */
  private static final PagePolicy MONITOR =
      new PagePolicy(
          null, false, "script-src 'none'; connect-src 'none'; img-src 'self' data: blob:");

  /** The value of such a policy has no effect: a browser reports to it what others do not allow. */
  private static final String ADD_REPORTING_DIRECTIVES = "add_reporting_directives";

  private final ZoneMonitor stored;
  private final List<CompiledPolicy> policies;

  /** A policy with its expression. */
  private record CompiledPolicy(StoredPolicy stored, FilterExpression expression) {

    CompiledPolicy(StoredPolicy stored) {
      this(stored, Expressions.stored(stored.expression(), true));
    }

    boolean applies(FilterRequest request, FilterWork work) {
      try {
        return expression.matches(request, work);
      } catch (FilterWorkException e) {
        throw Expressions.tooMuchWork("policy " + stored.id(), e);
      }
    }
  }

  /**
   * Compiles the monitor of a zone.
   *
   * @param stored what is stored
   */
  public CompiledMonitor(ZoneMonitor stored) {
    this.stored = stored;
    policies = stored.policies().stream().map(CompiledPolicy::new).toList();
  }

  /** {@return what is stored} */
  public ZoneMonitor stored() {
    return stored;
  }

  /**
   * Checks that a page is of the zone.
   *
   * @param page the page
   * @throws RefusedException if it is not
   */
  public void requirePage(WebUrl page) {
    ZoneProfile profile = stored.profile();
    if (!profile.covers(page.host())) {
      throw RefusedException.invalidJson(
          page.host() + " is not a host of the zone " + profile.name(), "/url");
    }
  }

  /**
   * Returns the policies of a response.
   *
   * @param request the request
   * @param response the headers of the response, by name in lower case
   * @param isWorker whether a worker asks for its script, which has policies of its own
   * @param isSampled whether the page is among those that are monitored
   * @return the policies
   * @throws RefusedException if the expressions of the policies take too much work with the request
   */
  public List<PagePolicy> headers(
      FilterRequest request,
      Map<String, List<String>> response,
      boolean isWorker,
      boolean isSampled) {
    List<PagePolicy> applied = new ArrayList<>();
    if (isWorker || isHtml(response)) {
      if (stored.enabled() && isSampled) {
        applied.add(MONITOR);
      }
      FilterWork work = new FilterWork();
      for (CompiledPolicy policy : policies) {
        if (policy.applies(request, work)) {
          applied.addAll(pagePolicies(policy.stored(), response));
        }
      }
    }
    return applied;
  }

  /** Returns what a policy adds to a response to which it applies. */
  private static List<PagePolicy> pagePolicies(
      StoredPolicy policy, Map<String, List<String>> response) {
    if (!policy.action().equals(ADD_REPORTING_DIRECTIVES)) {
      boolean enforced = policy.action().equals("allow");
      return List.of(new PagePolicy(policy.id(), enforced, policy.value().strip()));
    }
    return Stream.of(true, false)
        .flatMap(
            isEnforced ->
                OriginPolicy.of(response, isEnforced)
                    .map(own -> new PagePolicy(policy.id(), isEnforced, own)))
        .toList();
  }

  private static boolean isHtml(Map<String, List<String>> response) {
    return response.getOrDefault("content-type", List.of()).stream()
        .map(type -> type.split(";", 2)[0].strip())
        .anyMatch(type -> type.equalsIgnoreCase("text/html"));
  }
}
