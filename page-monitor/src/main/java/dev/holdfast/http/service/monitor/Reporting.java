package dev.holdfast.http.service.monitor;

import dev.holdfast.HoldfastException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.http.analysis.ScriptFetcher;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.internal.pagemonitor.CompiledMonitor;
import dev.holdfast.http.internal.report.CookieIntake;
import dev.holdfast.http.internal.report.CookieReader;
import dev.holdfast.http.internal.report.MonitorBounds;
import dev.holdfast.http.internal.report.ReportAddress;
import dev.holdfast.http.internal.report.ReportIntake;
import dev.holdfast.http.internal.report.ReportReader;
import dev.holdfast.http.internal.store.ZoneCache;
import dev.holdfast.http.monitor.object.MonitorIntake;
import dev.holdfast.http.monitor.object.PageHeader;
import dev.holdfast.http.monitor.object.PagePolicy;
import dev.holdfast.http.monitor.object.PageRequest;
import dev.holdfast.http.monitor.object.ReportTarget;
import dev.holdfast.http.monitor.object.ReportedUse;
import dev.holdfast.http.monitor.object.SeenCookie;
import dev.holdfast.http.monitor.object.ZoneMonitor;
import dev.holdfast.http.object.Ids;
import dev.holdfast.http.object.RefusedException;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The side of page monitoring that faces browsers. Thread-safe. */
public final class Reporting {

  /** The path of the addresses of reports, on any host. */
  public static final String PATH = ReportAddress.PATH;

  /** The longest body of a report. */
  public static final int BODY_BYTES_MAX = 64 * 1_024;

  /** What browsers name as the destination of a script of a worker. */
  private static final Set<String> WORKERS = Set.of("worker", "sharedworker", "serviceworker");

  private static final Logger LOG = System.getLogger("dev.holdfast.http");
  private static final Duration FETCH_AGAIN_AFTER = Duration.ofHours(1);

  private final Function<String, ? extends MonitorIntake> zones;
  private final ReportingOptions options;
  private final ReportAddress address;
  private final HeaderWriter writer;
  private final ReportIntake intake;
  private final CookieIntake cookies;
  private final ZoneCache<CompiledMonitor> monitors;
  private final Semaphore fetches = new Semaphore(MonitorBounds.FETCHES_MAX);

  /** The times of the last attempts to fetch scripts, the oldest first. Guarded by itself. */
  private final Map<String, Instant> asked =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
          return size() > MonitorBounds.ASKED_MAX;
        }
      };

  /**
   * Creates an object for the pages of all zones.
   *
   * @param zones returns the monitor of a zone, by the id of the zone
   * @param stored returns what the headers of a zone's pages are written with, by the id of the
   *     zone; fails with an {@link IllegalArgumentException} if there is no such zone
   * @param key signs the addresses of reports: 32 random bytes that stay the same
   * @param options how pages are monitored
   * @throws IllegalStateException if this Java platform cannot sign
   */
  public Reporting(
      Function<String, ? extends MonitorIntake> zones,
      Function<String, ZoneMonitor> stored,
      byte[] key,
      ReportingOptions options) {
    this.zones = zones;
    this.options = options;
    this.address = new ReportAddress(key);
    this.writer = new HeaderWriter(address);
    this.intake = new ReportIntake(options.clock(), this::store);
    this.cookies =
        new CookieIntake(
            options.clock(), task -> Thread.ofVirtual().start(task), this::storeCookies);
    this.monitors =
        new ZoneCache<>(options.changes(), zone -> new CompiledMonitor(stored.apply(zone)));
  }

  /**
   * {@return the target of reports to an address, or null if this service did not issue the
   * address}
   *
   * @param query the query of the address
   */
  public @Nullable ReportTarget target(String query) {
    return address.read(query);
  }

  /**
   * Takes a report that a browser has sent.
   *
   * @param target its target
   * @param body the report
   * @param client the IP address of the client; empty if it is unknown
   * @throws dev.holdfast.HoldfastException if the report cannot be stored
   */
  public void take(ReportTarget target, ByteBuffer body, String client) {
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
    List<String> scripts = zones.apply(zoneId).report(uses);
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
      MonitorIntake zone = zones.apply(zoneId);
      String url = zone.scriptUrl(script);
      if (url != null) {
        byte[] content = fetcher.fetch(WebUrl.of(url));
        @Nullable String site = nameOf(zoneId);
        ScriptScores scores = options.scorer().score(content, site == null ? "" : site);
        zone.judged(script, Ids.hash(content), scores);
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
   * {@return the headers of a page, one line each}
   *
   * @param base scheme, host and port of the vendor's own endpoint of reports; empty if it has none
   * @param zoneId the zone
   * @param page the request for the page
   * @param responseHeaders the headers of its response, by their names
   * @throws RefusedException if the page is not of the zone, or the expressions of the policies
   *     take too much work with it
   */
  public List<PageHeader> headers(
      String base, String zoneId, PageRequest page, Map<String, List<String>> responseHeaders) {
    Map<String, List<String>> response = new HashMap<>();
    responseHeaders.forEach((name, all) -> response.put(name.toLowerCase(Locale.ROOT), all));
    WebUrl url = page.url();
    CompiledMonitor monitor = monitors.get(zoneId);
    monitor.requirePage(url);
    boolean isSampled = options.random().nextDouble() < options.sampleRate();
    List<PagePolicy> policies =
        monitor.headers(page.fields(), response, isWorker(page.headers()), isSampled);
    if (monitor.stored().enabled()) {
      Instant now = options.clock().instant().truncatedTo(ChronoUnit.MICROS);
      cookies.note(zoneId, CookieReader.read(url, page.headers(), response, now));
    }
    return writer.write(base, zoneId, url, policies, monitor.stored().vendorEndpoint());
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

  /**
   * Stores the cookies of a zone that were noted, so that a list has them.
   *
   * @param zoneId the zone
   */
  public void storeCookies(String zoneId) {
    cookies.storeNow(zoneId);
  }

  /** Stores all cookies that were noted. */
  public void storeCookies() {
    cookies.storeAll();
  }

  private void storeCookies(String zoneId, List<SeenCookie> seen) {
    try {
      zones.apply(zoneId).cookies(seen);
    } catch (HoldfastException e) {
      // The next page views show them again.
      LOG.log(Level.DEBUG, "Cookies of zone " + zoneId + " were dropped", e);
    }
  }
}
