package dev.holdfast.http;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.http.analysis.ScriptFetcher;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.auth.Secret;
import dev.holdfast.http.internal.call.DescribedRequest;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.pagemonitor.CompiledMonitor;
import dev.holdfast.http.internal.report.CookieIntake;
import dev.holdfast.http.internal.report.CookieReader;
import dev.holdfast.http.internal.report.ReportAddress;
import dev.holdfast.http.internal.report.ReportIntake;
import dev.holdfast.http.internal.report.ReportReader;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.PagePolicy;
import dev.holdfast.http.object.ReportedUse;
import dev.holdfast.http.object.SeenCookie;
import dev.holdfast.http.object.Zone;
import dev.holdfast.http.object.ZoneEntry;
import dev.holdfast.http.url.WebUrl;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The side of page monitoring that faces browsers. Thread-safe. */
final class Reporting {

  /** What browsers name as the destination of a script of a worker. */
  private static final Set<String> WORKERS = Set.of("worker", "sharedworker", "serviceworker");

  private static final Logger LOG = System.getLogger("dev.holdfast.http");
  private static final Duration FETCH_AGAIN_AFTER = Duration.ofHours(1);

  private final ObjectNamespace<Zone> zones;
  private final Accounts accounts;
  private final HttpApiOptions options;
  private final ReportAddress address;
  private final HeaderWriter writer;
  private final ReportIntake intake;
  private final CookieIntake cookies;
  private final ZoneCache<CompiledMonitor> monitors;
  private final Semaphore fetches = new Semaphore(HttpBounds.FETCHES_MAX);

  /** The times of the last attempts to fetch scripts, the oldest first. Guarded by itself. */
  private final Map<String, Instant> asked =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
          return size() > HttpBounds.ASKED_MAX;
        }
      };

  Reporting(ObjectNamespace<Zone> zones, Accounts accounts, HttpApiOptions options) {
    this.zones = zones;
    this.accounts = accounts;
    this.options = options;
    this.address = new ReportAddress(accounts.reportKey());
    this.writer = new HeaderWriter(address);
    this.intake = new ReportIntake(options.clock(), this::store);
    this.cookies =
        new CookieIntake(
            options.clock(), task -> Thread.ofVirtual().start(task), this::storeCookies);
    this.monitors =
        new ZoneCache<>(
            accounts, zones, options.changes(), zone -> new CompiledMonitor(zone.monitor()));
  }

  /**
   * {@return the target of reports to an address, or null if this service did not issue the
   * address}
   */
  ReportAddress.@Nullable Target target(String query) {
    try {
      return address.read(query);
    } catch (ApiException e) {
      return null;
    }
  }

  /** Takes a report that a browser has sent. */
  void take(ReportAddress.Target target, ByteBuffer body, String client) {
    String source = ReportIntake.source(client);
    if (intake.isSpent(target.zoneId(), source)) {
      return;
    }
    byte[] bytes = new byte[body.remaining()];
    body.duplicate().get(bytes);
    String text = new String(bytes, StandardCharsets.UTF_8);
    @Nullable String zone = nameOf(target.zoneId());
    List<ReportedUse> uses =
        zone == null
            ? List.of()
            : ReportReader.read(text, target.policyId(), options.clock().instant(), source, zone);
    if (!uses.isEmpty()) {
      try {
        intake.take(target.zoneId(), source, uses);
      } catch (CompletionException e) {
        if (!(e.getCause() instanceof ObjectOverloadedException)) {
          throw e;
        }
        // Dropped, as above the rate limit: a browser would not send it again anyway.
        LOG.log(Level.DEBUG, "Reports were dropped: the zone is busy", e);
      }
    }
  }

  /**
   * Returns the domain of a zone; null if there is none. Asks what is kept: in a flood, all reports
   * would wait for turns of one object of accounts.
   */
  private @Nullable String nameOf(String zoneId) {
    try {
      return monitors.get(zoneId).stored().profile().name();
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private void store(String zoneId, List<ReportedUse> uses) {
    List<String> scripts = zones.getByName(zoneId).report(uses);
    ScriptFetcher fetcher = options.fetcher();
    if (fetcher != null) {
      for (String script : scripts) {
        // Above a few at once, scripts wait for a later report: untrusted clients must not make
        // this server fetch for them. The attempt is recorded only with a permit; otherwise there
        // would be no new attempt for hours.
        if (!fetches.tryAcquire()) {
          return;
        }
        startJudging(fetcher, zoneId, script);
      }
    }
  }

  private void startJudging(ScriptFetcher fetcher, String zoneId, String script) {
    boolean started = false;
    try {
      if (isFirstIn(zoneId + "/" + script, FETCH_AGAIN_AFTER)) {
        Thread.ofVirtual().start(() -> judge(fetcher, zoneId, script));
        started = true;
      }
    } finally {
      if (!started) {
        fetches.release();
      }
    }
  }

  /**
   * Returns whether a script was not requested within a time, so that a failing script is not
   * fetched repeatedly.
   */
  private boolean isFirstIn(String script, Duration time) {
    Instant now = options.clock().instant();
    synchronized (asked) {
      Instant before = asked.get(script);
      if (before != null && now.isBefore(before.plus(time))) {
        return false;
      }
      asked.put(script, now);
      return true;
    }
  }

  private void judge(ScriptFetcher fetcher, String zoneId, String script) {
    try {
      Zone zone = zones.getByName(zoneId);
      String url = zone.scriptUrl(script);
      if (url != null) {
        byte[] content = fetcher.fetch(WebUrl.of(url));
        ZoneEntry site = accounts.zone(zoneId);
        ScriptScores scores = options.scorer().score(content, site == null ? "" : site.name());
        zone.judged(script, Secret.hash(content), scores);
      }
    } catch (IOException | HoldfastException e) {
      LOG.log(Level.INFO, "script " + script + " was not scored: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      fetches.release();
    }
  }

  /**
   * Returns the headers for a response that JSON describes, and notes its cookies.
   *
   * @param base scheme, host and port of the endpoint for reports; empty for the host of the page
   * @throws ApiException if the description is malformed, its page is not of the zone, or the
   *     expressions of the policies take too much work with it
   */
  List<Header> headers(String base, String zoneId, Fields description) {
    DescribedRequest request = DescribedRequest.read(description, options.clock().instant());
    return headers(
        base,
        zoneId,
        request.url(),
        request.fields(),
        request.site().headers(),
        DescribedRequest.headers(description, "response_headers"));
  }

  /** Like the other method, for a response of a host in this process. */
  List<Header> headers(
      String base, String zoneId, ApiRequest request, Map<String, List<String>> response) {
    WebUrl page = DescribedRequest.page(request.path(), "");
    FilterRequest fields =
        FilterRequest.ofHttp(request.method(), page, request.headers(), options.clock().instant());
    Map<String, List<String>> lowered = new HashMap<>();
    response.forEach((name, values) -> lowered.put(name.toLowerCase(Locale.ROOT), values));
    return headers(base, zoneId, page, fields, request.headers(), lowered);
  }

  private List<Header> headers(
      String base,
      String zoneId,
      WebUrl page,
      FilterRequest fields,
      Map<String, List<String>> request,
      Map<String, List<String>> response) {
    CompiledMonitor monitor = monitors.get(zoneId);
    monitor.requirePage(page);
    boolean isSampled = options.random().nextDouble() < options.sampleRate();
    List<PagePolicy> policies = monitor.headers(fields, response, isWorker(request), isSampled);
    if (monitor.stored().enabled()) {
      Instant now = options.clock().instant().truncatedTo(ChronoUnit.MICROS);
      cookies.note(zoneId, CookieReader.read(page, request, response, now));
    }
    return writer.write(base, zoneId, page, policies, monitor.stored().vendorEndpoint());
  }

  /**
   * {@return whether a worker asks for its script: its own response has the policies of what it
   * loads}
   *
   * @param request the headers of the request, by name in lower case
   */
  public static boolean isWorker(Map<String, List<String>> request) {
    return WORKERS.containsAll(request.getOrDefault("sec-fetch-dest", List.of("")));
  }

  /** Stores the cookies of a zone that were noted, so that a list has them. */
  void storeCookies(String zoneId) {
    cookies.storeNow(zoneId);
  }

  /** Stores all cookies that were noted. */
  void storeCookies() {
    cookies.storeAll();
  }

  private void storeCookies(String zoneId, List<SeenCookie> seen) {
    try {
      zones.getByName(zoneId).cookies(seen);
    } catch (HoldfastException e) {
      // The next page views show them again.
      LOG.log(Level.DEBUG, "Cookies of zone " + zoneId + " were dropped", e);
    }
  }
}
