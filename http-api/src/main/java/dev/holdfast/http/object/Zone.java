package dev.holdfast.http.object;

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
   * Replaces the zone's previous managed rules, as an operator brings them from elsewhere.
   *
   * @param document JSON in the form of {@code docs/formats/legacy-configuration.md}
   * @return an empty success, or why it was refused
   */
  ZoneReply importLegacy(String document);

  /** {@return what was decided of this zone; null if it was never made} */
  @Nullable ZoneProfile profile();
}
