package dev.holdfast.http.internal.report;

import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.monitor.object.ReportedUse;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads the reports that browsers send, in both formats: {@code application/csp-report}, an object
 * with a member {@code csp-report}, and {@code application/reports+json}, an array. Any client can
 * send any data, so reports that are malformed, excessive or irrelevant are dropped.
 */
public final class ReportReader {

  private static final Set<String> SCRIPT_DIRECTIVES =
      Set.of("script-src", "script-src-elem", "script-src-attr", "worker-src");

  /** An image is loaded to send what its URL has. */
  private static final Set<String> CONNECTION_DIRECTIVES = Set.of("connect-src", "img-src");

  private ReportReader() {}

  /**
   * Reads reports.
   *
   * @param body the body
   * @param policyId the policy of the address to which it was sent; null for the monitor
   * @param now the time of arrival
   * @param source the network of the client
   * @param zone the domain of the zone: the page of a document without an address
   * @return the reported uses; may be empty
   */
  public static List<ReportedUse> read(
      String body, @Nullable String policyId, Instant now, String source, String zone) {
    JsonNode tree;
    try {
      tree = Json.readBody(body);
    } catch (RefusedException e) {
      // Browsers do not read the answers of this endpoint, and other clients should learn nothing
      // from them.
      return List.of();
    }
    List<ReportedUse> uses = new ArrayList<>();
    for (JsonNode report : tree.isArray() ? tree : Json.array().add(tree)) {
      if (uses.size() == MonitorBounds.REPORTS_MAX) {
        break;
      }
      ReportedUse use = use(report, policyId, now, source, zone);
      if (use != null) {
        uses.add(use);
      }
    }
    return uses;
  }

  private static @Nullable ReportedUse use(
      JsonNode report, @Nullable String policyId, Instant now, String source, String zone) {
    JsonNode old = report.path("csp-report");
    if (!old.isObject() && !text(report, "type").equals("csp-violation")) {
      return null;
    }
    JsonNode body = old.isObject() ? old : report.path("body");
    String directive =
        text(body, "effectiveDirective", "effective-directive", "violated-directive");
    String name = directive.strip().split(" ", 2)[0].toLowerCase(Locale.ROOT);
    boolean isScript = SCRIPT_DIRECTIVES.contains(name);
    String document = text(body, "documentURL", "document-uri");
    if (document.equals("about") || document.equals("about:srcdoc")) {
      // A frame whose document is an attribute of its page has no address of its own, and over TLS
      // names no page either.
      String referrer = text(body, "referrer");
      document = referrer.isEmpty() ? "https://" + zone + "/" : referrer;
    }
    WebUrl page = url(document, true);
    WebUrl url = url(text(body, "blockedURL", "blocked-uri"), isScript);
    if (page == null || url == null || !(isScript || CONNECTION_DIRECTIVES.contains(name))) {
      return null;
    }
    long age = report.path("age").isIntegralNumber() ? report.path("age").asLong(0) : 0;
    return new ReportedUse(
        isScript,
        url.toString(),
        page.host(),
        page.origin() + page.path(),
        now.minusMillis(Math.clamp(age, 0, MonitorBounds.REPORT_AGE_MILLIS_MAX)),
        policyId,
        text(body, "disposition").equals("enforce"),
        source);
  }

  /** {@return a URL of http or https, or also ws or wss; null if it must not be kept} */
  private static @Nullable WebUrl url(String text, boolean onlyHttp) {
    if (text.isEmpty() || text.length() > MonitorBounds.REPORTED_URL_LENGTH_MAX) {
      return null;
    }
    return WebUrl.parse(text)
        .filter(url -> !url.hasUser() && (!onlyHttp || url.scheme().startsWith("http")))
        // The encoded form that a browser would send may be longer than the text that was sent.
        .filter(url -> url.toString().length() <= MonitorBounds.REPORTED_URL_LENGTH_MAX)
        .orElse(null);
  }

  /** {@return the first of some members that is a text with characters; empty if none is} */
  private static String text(JsonNode node, String... names) {
    for (String name : names) {
      String text = node.path(name).stringValue("");
      if (!text.isEmpty()) {
        return text;
      }
    }
    return "";
  }
}
