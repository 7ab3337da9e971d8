package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.CookieSearch;
import dev.holdfast.http.monitor.object.Detection;
import dev.holdfast.http.monitor.object.DetectionSearch;
import dev.holdfast.http.monitor.object.MonitorPolicy;
import dev.holdfast.http.monitor.object.MonitorSettings;
import dev.holdfast.http.monitor.object.MonitorZone;
import dev.holdfast.http.monitor.object.MonitoredCookie;
import dev.holdfast.http.monitor.object.Notice;
import dev.holdfast.http.monitor.object.PolicyChange;
import dev.holdfast.http.monitor.object.PolicyViolation;
import dev.holdfast.http.monitor.object.ReportedUse;
import dev.holdfast.http.monitor.object.SeenCookie;
import dev.holdfast.http.monitor.object.ZoneMonitor;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.ZoneProfile;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The page monitor of a zone. Owned by the turn of its object. */
public class MonitorObject implements MonitorZone, AlarmHandler {

  private static final String TABLES =
      Json.resource(MonitorObject.class.getResourceAsStream("monitor.sql"));

  private final ObjectContext context;

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
   * Opens the page monitor of a zone.
   *
   * @param context the object's own context
   * @param store the store of the zone, which may have other parts
   * @param expressions compiles expressions
   * @param feed the source of malicious hosts and URLs
   */
  public MonitorObject(
      ObjectContext context, ZoneStore store, Expressions expressions, ReputationFeed feed) {
    this.context = context;
    this.store = store;
    store.exec(TABLES);
    settings = new Settings(store);
    writes = new VisitorWrites(store);
    violations = new Violations(store, writes);
    policies = new Policies(store, expressions, violations);
    detections = new Detections(store, feed, writes);
    cookies = new Cookies(store, writes);
  }

  @Override
  public void configure(ZoneProfile profile) {
    store.change(() -> store.configure(profile));
  }

  @Override
  public @Nullable ZoneProfile profile() {
    return store.profileIfAny();
  }

  @Override
  public MonitorSettings settings() {
    return settings.values();
  }

  @Override
  public MonitorSettings changeSettings(MonitorSettings changed) {
    return change(() -> settings.change(changed));
  }

  @Override
  public List<MonitorPolicy> policies() {
    return policies.list();
  }

  @Override
  public MonitorPolicy policy(String id) {
    return policies.find(id);
  }

  @Override
  public MonitorPolicy addPolicy(MonitorPolicy policy) {
    return change(() -> policies.create(policy));
  }

  @Override
  public MonitorPolicy changePolicy(String id, PolicyChange change) {
    return change(() -> policies.change(id, change));
  }

  @Override
  public void deletePolicy(String id) {
    change(
        () -> {
          policies.delete(id);
          return id;
        });
  }

  @Override
  public Found<PolicyViolation> violations(String policyId, PageRange page) {
    policies.find(policyId);
    return violations.list(policyId, page);
  }

  /**
   * {@return the wanted scripts, read one at a time}
   *
   * @param wanted the wanted ones
   * @param page the page; null for one with all
   */
  public SeenPage<Detection> listScripts(DetectionSearch wanted, @Nullable PageRange page) {
    sweepIfDue();
    return detections.list(wanted, page, Detections.SCRIPT);
  }

  /**
   * {@return the wanted connections, read one at a time}
   *
   * @param wanted the wanted ones
   * @param page the page; null for one with all
   */
  public SeenPage<Detection> listConnections(DetectionSearch wanted, @Nullable PageRange page) {
    sweepIfDue();
    return detections.list(wanted, page, Detections.CONNECTION);
  }

  /**
   * {@return the wanted cookies, read one at a time}
   *
   * @param wanted the wanted ones
   * @param page the page; null for one with all
   */
  public SeenPage<MonitoredCookie> listCookies(CookieSearch wanted, @Nullable PageRange page) {
    sweepIfDue();
    return cookies.list(wanted, page);
  }

  @Override
  public Found<Detection> scripts(DetectionSearch wanted, @Nullable PageRange page) {
    return listScripts(wanted, page).found();
  }

  @Override
  public Detection script(String id) {
    sweepIfDue();
    return detections.get(id, Detections.SCRIPT);
  }

  @Override
  public Found<Detection> connections(DetectionSearch wanted, @Nullable PageRange page) {
    return listConnections(wanted, page).found();
  }

  @Override
  public Detection connection(String id) {
    sweepIfDue();
    return detections.get(id, Detections.CONNECTION);
  }

  @Override
  public List<Notice> detectionNotices() {
    return detections.notices();
  }

  @Override
  public Found<MonitoredCookie> monitoredCookies(CookieSearch wanted, @Nullable PageRange page) {
    return listCookies(wanted, page).found();
  }

  @Override
  public MonitoredCookie monitoredCookie(String id) {
    sweepIfDue();
    return cookies.get(id);
  }

  @Override
  public List<Notice> cookieNotices() {
    return cookies.notices();
  }

  private <T> T change(Supplier<T> write) {
    sweepIfDue();
    return store.change(write);
  }

  @Override
  public void alarm(AlarmInfo alarm) {
    sweepIfDue();
    // If the host's clock is behind that of the runtime, nothing is due yet, and the same alarm
    // would fire again at once, forever: then the next report sets it.
    if (nextDue.isAfter(alarm.scheduledTime())) {
      setAlarm();
    }
  }

  /** Sets the alarm for the earliest time at which something is due, if it is not set for it. */
  private void setAlarm() {
    if (nextDue.equals(Instant.MAX) || nextDue.equals(Instant.MIN)) {
      return;
    }
    // An alarm's time is truncated to milliseconds: then it would fire slightly early.
    Instant time = nextDue.plusMillis(1);
    boolean needed = context.storage().getAlarm().map(set -> set.isAfter(time)).orElse(true);
    if (needed) {
      context.storage().setAlarm(time);
    }
  }

  @Override
  public ZoneMonitor monitor() {
    MonitorSettings values = settings.values();
    return new ZoneMonitor(
        store.profile(), values.enabled(), values.vendorEndpoint(), policies.enabled());
  }

  @Override
  public void cookies(List<SeenCookie> seen) {
    sweepIfDue();
    record(seen);
    setAlarm();
  }

  private void record(List<SeenCookie> seen) {
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

  @Override
  public List<String> report(List<ReportedUse> uses) {
    sweepIfDue();
    List<String> scripts = record(uses, new ArrayList<>());
    setAlarm();
    return scripts;
  }

  private List<String> record(List<ReportedUse> uses, List<String> scripts) {
    writes.begin();
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

  @Override
  public @Nullable String scriptUrl(String id) {
    return detections.scriptUrl(id);
  }

  @Override
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
