package dev.holdfast.http;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.http.call.Zone;
import dev.holdfast.http.call.ZoneCall;
import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.internal.accounts.Credentials;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.CredentialEntry;
import dev.holdfast.http.object.Ids;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneEntry;
import dev.holdfast.http.object.ZoneProfile;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The operations of an operator outside the API: zones, tokens and keys. Thread-safe; every method
 * returns when its changes are durable.
 */
public final class Operator {

  private final Accounts accounts;
  private final Credentials credentials;
  private final ObjectNamespace<Zone> zones;

  Operator(ObjectRuntime runtime, RandomGenerator random) {
    this.accounts =
        runtime.namespace(Accounts.NAMESPACE, Accounts.class).stub(Accounts.NAME).blocking();
    this.zones = runtime.namespace(Zone.NAMESPACE, Zone.class);
    this.credentials = new Credentials(accounts, random);
  }

  /**
   * Creates a zone.
   *
   * @param name its domain, in lower case
   * @param plan determines its quotas
   * @return its profile, with its new id
   * @throws IllegalArgumentException if the name is not a domain
   */
  public ZoneProfile createZone(String name, Plan plan) {
    ZoneProfile profile = ZoneProfile.of(newId(), name, plan);
    configure(profile);
    return profile;
  }

  String newId() {
    return Ids.next(credentials.random());
  }

  /**
   * Creates a zone, or changes its profile.
   *
   * @param profile the new profile
   * @throws dev.holdfast.HoldfastException if the objects of the API cannot be called, or cannot
   *     write
   */
  public void configure(ZoneProfile profile) {
    // The zone first: after a crash in between, it is unlisted and its id was never returned.
    zones.getByName(profile.id()).configure(profile);
    accounts.addZone(new ZoneEntry(profile.id(), profile.name()));
  }

  /**
   * {@return the profile of a zone, or null if there is none}
   *
   * @param zoneId the zone
   */
  @Nullable ZoneProfile profile(String zoneId) {
    return accounts.zone(zoneId) == null ? null : zones.getByName(zoneId).profile();
  }

  /**
   * Replaces the previous managed rules of a zone with rules that its operator imports.
   *
   * @param zoneId the zone
   * @param document JSON in the form of {@code docs/formats/legacy-configuration.md}
   * @throws IllegalArgumentException if the zone is unknown, the document is malformed, or the
   *     zone's migration has begun
   */
  public void importLegacy(String zoneId, String document) {
    if (accounts.zone(zoneId) == null) {
      throw new IllegalArgumentException("there is no zone " + zoneId);
    }
    ZoneReply reply = imported(zoneId, document);
    if (reply.status() != 200) {
      JsonNode error = Json.read(reply.body()).get("errors").get(0);
      String pointer = error.at("/source/pointer").asString("");
      throw new IllegalArgumentException(
          "the document is refused: "
              + error.get("message").stringValue()
              + (pointer.isEmpty() ? "" : " at " + pointer));
    }
  }

  ZoneReply imported(String zoneId, String document) {
    String endpoint = "import_managed_rules";
    return zones.getByName(zoneId).handle(new ZoneCall(endpoint, List.of(), "", document));
  }

  /**
   * {@return the zones in the order of their names}
   *
   * @throws dev.holdfast.HoldfastException if the objects of the API cannot be called
   */
  public List<ZoneEntry> zones() {
    return accounts.zones();
  }

  /**
   * Creates an API token.
   *
   * @param zoneIds the zones that it covers; empty means all
   * @param permissions its permissions in these zones
   * @return the token; only its hash is stored, so it cannot be retrieved later
   * @throws IllegalArgumentException if one of the zones is not an id, or {@link
   *     Permission#OPERATE} is not for all zones
   */
  public String createToken(List<String> zoneIds, List<Permission> permissions) {
    return credentials.createToken(zoneIds, permissions);
  }

  /**
   * Creates an API key for the pair of headers {@code X-Auth-Email} and {@code X-Auth-Key}. An
   * earlier key of the same owner is no longer valid.
   *
   * @param email the owner
   * @param zoneIds the zones that it covers; empty means all
   * @param permissions its permissions in these zones
   * @return the key; only its hash is stored, so it cannot be retrieved later
   * @throws IllegalArgumentException if the owner is not an e-mail address, one of the zones is not
   *     an id, or {@link Permission#OPERATE} is not for all zones
   */
  public String createKey(String email, List<String> zoneIds, List<Permission> permissions) {
    return credentials.createKey(email, zoneIds, permissions);
  }

  /**
   * {@return all tokens and keys, tokens first, in the order of their ids}
   *
   * @throws dev.holdfast.HoldfastException if the objects of the API cannot be called
   */
  public List<CredentialEntry> credentials() {
    return accounts.credentials();
  }

  /**
   * Changes the time from which a token or key is refused.
   *
   * @param id the token's public part, which is the second of its three, or the key's owner
   * @param expires the time, which may be in the past; null for never
   * @return whether it exists
   * @throws dev.holdfast.HoldfastException if the objects of the API cannot be called, or cannot
   *     write
   */
  public boolean expire(String id, @Nullable Instant expires) {
    return accounts.expire(id, expires);
  }

  /**
   * Replaces the secret of a token or key. From then on the former one is refused; what it may do
   * and when it expires stay as they are.
   *
   * @param id the token's public part, which is the second of its three, or the key's owner
   * @return the new token or key, which cannot be retrieved later; empty if there is none
   * @throws dev.holdfast.HoldfastException if the objects of the API cannot be called, or cannot
   *     write
   */
  public Optional<String> rotate(String id) {
    return credentials.rotate(id);
  }

  /**
   * Revokes a token or key.
   *
   * @param id the token's public part, which is the second of its three, or the key's owner
   * @return whether it existed
   * @throws dev.holdfast.HoldfastException if the objects of the API cannot be called, or cannot
   *     write
   */
  public boolean revoke(String id) {
    return accounts.revoke(id);
  }

  /**
   * {@return whether any token or key was created}
   *
   * @throws dev.holdfast.HoldfastException if the objects of the API cannot be called
   */
  public boolean hasCredentials() {
    return accounts.hasCredentials();
  }
}
