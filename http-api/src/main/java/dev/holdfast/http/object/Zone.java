package dev.holdfast.http.object;

import dev.holdfast.http.analysis.ScriptScores;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A zone as a durable object, addressed by its id. Every method is one turn, so whatever it writes
 * is there together or not at all.
 */
public interface Zone {

  /** The namespace of the zones. */
  String NAMESPACE = "http-zones";

  /**
   * Answers a request of the API.
   *
   * @param call the request; its caller may do what it asks for
   * @return the answer; errors are answers too
   */
  ZoneReply handle(ZoneCall call);

  /**
   * Makes the zone, or changes what an operator decides of it.
   *
   * @param profile the new profile
   */
  void configure(ZoneProfile profile);

  /**
   * Says which policies a response gets, and notes the cookies of request and response.
   *
   * @param description the request and the response as JSON, as the endpoint for headers takes it
   * @return the policies
   */
  PageHeaders pageHeaders(String description);

  /**
   * Notes what browsers have reported.
   *
   * @param uses the reports; those of other hosts and those beyond a limit are dropped
   * @return scripts that should be fetched and judged, new ones and those last judged over a day
   *     ago: their ids
   */
  List<String> report(List<ReportedUse> uses);

  /**
   * {@return the URL of a script, or null if there is no such script}
   *
   * @param scriptId its id
   */
  @Nullable String scriptUrl(String scriptId);

  /**
   * Notes what a script was found to be.
   *
   * @param scriptId the script; nothing happens if it is gone
   * @param hash the SHA-256 hash of its content, in hexadecimal
   * @param scores what it looks like
   */
  void judged(String scriptId, String hash, ScriptScores scores);

  /**
   * Moves what was not seen for long between statuses and deletes what is due. The zone's alarm
   * does the same by itself.
   */
  void sweep();

  /**
   * Replaces the zone's previous managed rules, as an operator brings them from elsewhere.
   *
   * @param document JSON in the form of {@code docs/formats/legacy-configuration.md}
   * @return an empty success, or why it was refused
   */
  ZoneReply importLegacy(String document);

  /** {@return what was decided of this zone; null if it was never made} */
  @Nullable ZoneProfile profile();
}
