package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.pagemonitor.Settings.Values;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ReportedUse;
import dev.holdfast.http.object.SeenCookie;
import dev.holdfast.http.object.ZoneMonitor;
import dev.holdfast.http.object.ZoneReply;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Page monitoring of a zone. Owned by the zone's turn. */
public final class PageMonitor {

  private final ZoneStore store;
  private final Settings settings;
  private final Policies policies;
  private final Detections detections;
  private final Cookies cookies;
  private final Violations violations;
  private final VisitorWrites writes;

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
   */
  public PageMonitor(ZoneStore store, Expressions expressions, ReputationFeed feed) {
    this.store = store;
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
  public void addTo(Map<String, Function<Call, ZoneReply>> operations) {
    operations.put("get_settings", settings::get);
    operations.put("update_settings", settings::update);
    operations.put("list_scripts", call -> detections.list(call, Detections.SCRIPT));
    operations.put("get_script", call -> detections.get(call, Detections.SCRIPT));
    operations.put("list_connections", call -> detections.list(call, Detections.CONNECTION));
    operations.put("get_connection", call -> detections.get(call, Detections.CONNECTION));
    operations.put("list_cookies", cookies::list);
    operations.put("get_cookie", cookies::get);
    operations.put("list_policies", policies::list);
    operations.put("create_policy", policies::create);
    operations.put("get_policy", policies::get);
    operations.put("update_policy", policies::update);
    operations.put("delete_policy", policies::delete);
    operations.put("list_violations", policies::listViolations);
  }

  /** {@return what pages need of this monitor} */
  public ZoneMonitor stored() {
    Values values = settings.values();
    return new ZoneMonitor(
        store.profile(), values.enabled(), values.vendorEndpoint(), policies.enabled());
  }

  /**
   * Records the cookies of pages.
   *
   * @param seen the cookies
   */
  public void recordCookies(List<SeenCookie> seen) {
    if (!settings.values().enabled()) {
      return;
    }
    writes.begin();
    for (SeenCookie cookie : seen) {
      if (store.profile().covers(cookie.host())) {
        record(cookie.seenAt(), () -> cookies.record(cookie));
      }
    }
    writes.end();
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
      } else if (settings.values().enabled()) {
        String url = use.isScript() ? use.url() : connectionUrl(use.url());
        record(use.seenAt(), () -> detections.record(use, url).ifPresent(scripts::add));
      }
    }
    writes.end();
    return scripts;
  }

  /** {@return a time before which nothing is due; {@link Instant#MAX} if nothing is pending} */
  public Instant nextDue() {
    return nextDue;
  }

  private void record(Instant seen, Runnable recorded) {
    long spent = writes.spent();
    recorded.run();
    Instant due = LifeCycle.Status.INFREQUENT.due(seen);
    // Only if it is written: otherwise each report of an older use would write the alarm.
    if (writes.spent() > spent && due.isBefore(nextDue)) {
      nextDue = due;
    }
  }

  /** Queries of connections contain session ids, and paths often do, so both are omitted. */
  private String connectionUrl(String url) {
    WebUrl parsed = WebUrl.of(url);
    return settings.values().connectionPath() ? parsed.origin() + parsed.path() : parsed.origin();
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
    if (!now.isBefore(nextDue)) {
      Instant detection = LifeCycle.sweep(store, "detection", now);
      Instant cookie = LifeCycle.sweep(store, "cookie", now);
      nextDue = detection.isBefore(cookie) ? detection : cookie;
    }
  }
}
