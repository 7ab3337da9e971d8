package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.expression.FilterWork;
import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.call.DescribedRequest;
import dev.holdfast.http.internal.call.Operation;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.PageHeaders;
import dev.holdfast.http.object.PagePolicy;
import dev.holdfast.http.object.ReportedUse;
import dev.holdfast.http.object.ZoneReply;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Page monitoring of a zone. Owned by the zone's turn. */
public final class PageMonitor {

  /** Allows nothing and blocks nothing, so that a browser reports everything. */
  private static final String MONITOR = "script-src 'none'; connect-src 'none'";

  private final ZoneStore store;
  private final Expressions expressions;
  private final Settings settings;
  private final Policies policies;
  private final Detections detections;
  private final Cookies cookies;
  private final Violations violations;
  private final VisitorWrites writes;
  private final double sampleRate;

  /**
   * Nothing is due before this time. The actual due time may be later, after a report of an item
   * that was due.
   */
  private Instant nextDue = Instant.MIN;

  /**
   * Opens the page monitoring of a zone.
   *
   * @param store the zone's store
   * @param expressions compiles expressions
   * @param feed the source of malicious hosts and URLs
   * @param sampleRate the share of pages that are monitored, from 0 to 1
   */
  public PageMonitor(
      ZoneStore store, Expressions expressions, ReputationFeed feed, double sampleRate) {
    this.store = store;
    this.expressions = expressions;
    this.sampleRate = sampleRate;
    settings = new Settings(store);
    writes = new VisitorWrites(store);
    violations = new Violations(store, writes);
    policies = new Policies(store, expressions, violations);
    detections = new Detections(store, feed, writes);
    cookies = new Cookies(store, writes);
  }

  /**
   * Adds the operations of this class.
   *
   * @param operations by endpoint
   */
  public void addTo(Map<Endpoint, Operation> operations) {
    operations.put(Endpoint.GET_SETTINGS, settings::get);
    operations.put(Endpoint.UPDATE_SETTINGS, settings::update);
    operations.put(Endpoint.LIST_SCRIPTS, call -> detections.list(call, Detections.SCRIPT));
    operations.put(Endpoint.GET_SCRIPT, call -> detections.get(call, Detections.SCRIPT));
    operations.put(Endpoint.LIST_CONNECTIONS, call -> detections.list(call, Detections.CONNECTION));
    operations.put(Endpoint.GET_CONNECTION, call -> detections.get(call, Detections.CONNECTION));
    operations.put(Endpoint.LIST_COOKIES, cookies::list);
    operations.put(Endpoint.GET_COOKIE, cookies::get);
    operations.put(Endpoint.LIST_POLICIES, policies::list);
    operations.put(Endpoint.CREATE_POLICY, policies::create);
    operations.put(Endpoint.GET_POLICY, policies::get);
    operations.put(Endpoint.UPDATE_POLICY, policies::update);
    operations.put(Endpoint.DELETE_POLICY, policies::delete);
    operations.put(Endpoint.LIST_VIOLATIONS, this::listViolations);
  }

  private ZoneReply listViolations(Call call) {
    policies.find(call.id());
    return violations.list(call);
  }

  /**
   * Returns the policies of a response, and records cookies.
   *
   * @param description the request, with {@code response_headers}
   * @return the policies
   * @throws ApiException if the description is malformed, its page is not of the zone, or the
   *     expressions of the policies take too much work with it
   */
  public PageHeaders pageHeaders(Fields description) {
    FilterRequest request = DescribedRequest.read(description, store.now());
    WebUrl page = DescribedRequest.url(description);
    String host = page.host();
    if (!store.profile().covers(host)) {
      throw ApiException.invalidJson(
          host + " is not a host of the zone " + store.profile().name(), description.at("url"));
    }
    recordCookies(description, page, host);
    List<PagePolicy> applied = new ArrayList<>();
    if (isHtml(description)) {
      if (settings.enabled() && store.random().nextDouble() < sampleRate) {
        applied.add(new PagePolicy(null, false, MONITOR));
      }
      FilterWork work = new FilterWork();
      for (Policy policy : policies.all()) {
        if (policy.enabled()
            && expressions.matches(
                policy.expression(), true, request, work, "policy " + policy.id())) {
          applied.addAll(pagePolicies(policy, description));
        }
      }
    }
    return new PageHeaders(applied, settings.useVendorEndpoint());
  }

  /** Returns what a policy adds to a response to which it applies. */
  private static List<PagePolicy> pagePolicies(Policy policy, Fields description) {
    if (!policy.action().equals(Policy.ADD_REPORTING_DIRECTIVES)) {
      boolean enforced = policy.action().equals("allow");
      return List.of(new PagePolicy(policy.id(), enforced, policy.value().strip()));
    }
    List<PagePolicy> repeated = new ArrayList<>();
    for (String header : headers(description, "response_headers", OriginPolicy.ENFORCED)) {
      OriginPolicy.read(header)
          .forEach(own -> repeated.add(new PagePolicy(policy.id(), true, own)));
    }
    for (String header : headers(description, "response_headers", OriginPolicy.REPORT_ONLY)) {
      OriginPolicy.read(header)
          .forEach(own -> repeated.add(new PagePolicy(policy.id(), false, own)));
    }
    return repeated;
  }

  private static boolean isHtml(Fields description) {
    return headers(description, "response_headers", "content-type").stream()
        .map(type -> type.split(";", 2)[0].strip())
        .anyMatch(type -> type.equalsIgnoreCase("text/html"));
  }

  private void recordCookies(Fields description, WebUrl page, String host) {
    if (!settings.enabled()) {
      return;
    }
    writes.begin();
    String path = page.path();
    for (String header : headers(description, "response_headers", "set-cookie")) {
      recordCookie(SetCookie.parse(header, host, path), host, path, true);
    }
    for (String header : headers(description, "headers", "cookie")) {
      for (String pair : header.split(";", HttpBounds.COOKIES_MAX)) {
        recordCookie(SetCookie.parse(pair.strip(), host, path), host, path, false);
      }
    }
    writes.end();
  }

  private void recordCookie(@Nullable SetCookie cookie, String host, String path, boolean isSet) {
    if (cookie != null) {
      long spent = writes.spent();
      cookies.record(cookie, host, host + path, isSet);
      if (writes.spent() > spent) {
        dueAfter(store.now());
      }
    }
  }

  private static List<String> headers(Fields description, String member, String header) {
    Fields headers = description.object(member);
    List<String> values = new ArrayList<>();
    if (headers != null) {
      for (String name : headers.tree().propertyNames()) {
        if (name.equalsIgnoreCase(header) && headers.required(name).isArray()) {
          values.addAll(headers.texts(name, HttpBounds.COOKIES_MAX, 16_384));
        } else if (name.equalsIgnoreCase(header)) {
          values.add(headers.text(name, 16_384));
        }
      }
    }
    return values;
  }

  /**
   * Records reports.
   *
   * @param uses the reports
   * @return the ids of scripts that are new, or were not scored for long
   */
  public List<String> report(List<ReportedUse> uses) {
    writes.begin();
    List<String> scripts = new ArrayList<>();
    for (ReportedUse use : uses) {
      if (!store.profile().covers(use.pageHost())) {
        continue;
      }
      if (use.policyId() != null) {
        if (policies.exists(use.policyId())) {
          violations.record(use.policyId(), use);
        }
      } else if (settings.enabled()) {
        long spent = writes.spent();
        String id = detections.record(use, use.isScript() ? use.url() : connectionUrl(use.url()));
        if (writes.spent() > spent) {
          // Only then: otherwise each report of an older use would write the alarm.
          dueAfter(use.seenAt());
        }
        if (id != null) {
          scripts.add(id);
        }
      }
    }
    writes.end();
    return scripts;
  }

  /** {@return a time before which nothing is due; {@link Instant#MAX} if nothing is pending} */
  public Instant nextDue() {
    return nextDue;
  }

  private void dueAfter(Instant seen) {
    Instant due = LifeCycle.due(LifeCycle.Status.INFREQUENT, seen);
    nextDue = due.isBefore(nextDue) ? due : nextDue;
  }

  /** Queries of connections contain session ids, and paths often do, so both are omitted. */
  private String connectionUrl(String url) {
    WebUrl parsed = WebUrl.of(url);
    return settings.useConnectionPath() ? parsed.origin() + parsed.path() : parsed.origin();
  }

  /**
   * {@return the URL of a script, or null}
   *
   * @param id its id
   */
  public @Nullable String scriptUrl(String id) {
    return detections.scriptUrl(id);
  }

  /**
   * Records the scores of a script.
   *
   * @param id its id
   * @param hash the hash of its content
   * @param scores its scores
   */
  public void judged(String id, String hash, ScriptScores scores) {
    writes.begin();
    detections.judged(id, hash, scores);
    writes.end();
  }

  /**
   * Processes due items, if there are any. Called before every operation that shows or changes a
   * status, so that a late alarm has no visible effect.
   */
  public void sweepIfDue() {
    Instant now = store.now();
    if (now.isBefore(nextDue)) {
      return;
    }
    detections.sweep(now);
    cookies.sweep(now);
    Instant due = due();
    nextDue = due == null ? Instant.MAX : due;
  }

  /** The next time at which something is due; null if nothing is pending. */
  private @Nullable Instant due() {
    return Stream.of(detections.due(), cookies.due())
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }
}
