package dev.holdfast.http.monitor.object;

import dev.holdfast.http.analysis.ScriptScores;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the pages of a zone tell its monitor, and what their headers are written with. Each method
 * is one turn.
 */
public interface MonitorIntake {

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
}
