package dev.holdfast.http;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.http.analysis.ScriptFetcher;
import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.DescribedRequest;
import dev.holdfast.http.internal.call.Query;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.report.HeaderWriter;
import dev.holdfast.http.internal.report.ReportAddress;
import dev.holdfast.http.internal.report.ReportIntake;
import dev.holdfast.http.internal.report.ReportReader;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.ReportedUse;
import dev.holdfast.http.object.Zone;
import dev.holdfast.http.url.WebUrl;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The side of page monitoring that faces browsers. Thread-safe. */
final class Reporting {

  private static final Logger LOG = System.getLogger("dev.holdfast.http");
  private static final Duration FETCH_AGAIN_AFTER = Duration.ofHours(1);

  private final ObjectNamespace<Zone> zones;
  private final Accounts accounts;
  private final HttpApiOptions options;
  private final ReportAddress address;
  private final HeaderWriter headers;
  private final ReportIntake intake;
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
    this.headers = new HeaderWriter(address, options.reportBase());
    this.intake = new ReportIntake(options.clock(), this::store);
  }

  /**
   * {@return the target of reports to an address, or null if this service did not issue the
   * address}
   */
  ReportAddress.@Nullable Target target(String query) {
    try {
      return address.read(Query.parse(query));
    } catch (ApiException e) {
      return null;
    }
  }

  /** Takes a report that a browser has sent. */
  void take(ReportAddress.Target target, ByteBuffer body) {
    String text = StandardCharsets.UTF_8.decode(body.duplicate()).toString();
    List<ReportedUse> uses = ReportReader.read(text, target.policyId(), options.clock().instant());
    if (!uses.isEmpty() && accounts.zone(target.zoneId()) != null) {
      try {
        intake.take(target.zoneId(), uses);
      } catch (CompletionException e) {
        if (!(e.getCause() instanceof ObjectOverloadedException)) {
          throw e;
        }
        // Dropped, as above the rate limit: a browser would not send it again anyway.
        LOG.log(Level.DEBUG, "Reports were dropped: the zone is busy", e);
      }
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
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
        zone.judged(script, HexFormat.of().formatHex(hash), options.scorer().score(content));
      }
    } catch (IOException | HoldfastException e) {
      LOG.log(Level.INFO, "script " + script + " was not scored: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    } finally {
      fetches.release();
    }
  }

  /** Returns the headers for a response, and records its cookies. */
  List<Header> headers(Zone zone, String zoneId, String description) {
    Fields fields = Fields.of(Json.readBody(description));
    WebUrl page = DescribedRequest.url(fields);
    return headers.write(zoneId, page, zone.pageHeaders(description)).stream()
        .map((Map.Entry<String, String> line) -> new Header(line.getKey(), line.getValue()))
        .toList();
  }
}
