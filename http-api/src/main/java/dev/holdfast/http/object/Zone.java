package dev.holdfast.http.object;

import dev.holdfast.http.analysis.ScriptScores;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A zone as a durable object, addressed by its id. Every method is one turn, so its writes are
 * atomic.
 */
public interface Zone {

  /** The namespace of the zones. */
  String NAMESPACE = "http-zones";

  /**
   * Answers a request of the API.
   *
   * @param call the request; the caller is authorized for it
   * @return the answer; errors are answers too
   */
  ZoneReply handle(ZoneCall call);

  /**
   * Creates the zone, or changes its profile.
   *
   * @param profile the new profile
   */
  void configure(ZoneProfile profile);

  /** {@return what the headers of this zone's pages are written with} */
  ZoneMonitor monitor();

  /**
   * Records the cookies of pages.
   *
   * @param seen the cookies; those of other hosts and those beyond a limit are dropped
   */
  void cookies(List<SeenCookie> seen);

  /**
   * Records the reports of browsers.
   *
   * @param uses the reports; those of other hosts and those beyond a limit are dropped
   * @return the ids of the scripts that should be fetched and scored: new ones, and those last
   *     scored over a day ago
   */
  List<String> report(List<ReportedUse> uses);

  /**
   * {@return the URL of a script, or null if there is no such script}
   *
   * @param scriptId its id
   */
  @Nullable String scriptUrl(String scriptId);

  /**
   * Records the scores of a script.
   *
   * @param scriptId the script; nothing happens if it is gone
   * @param hash the SHA-256 hash of its content, in hexadecimal
   * @param scores its scores
   */
  void judged(String scriptId, String hash, ScriptScores scores);

  /** {@return the profile of this zone; null if it was never created} */
  @Nullable ZoneProfile profile();

  /** {@return what the firewall of this zone decides with} */
  ZoneFirewall firewall();
}
