package dev.holdfast.http.object;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The credentials and the list of zones of one installation, as a durable object; its only instance
 * is named {@link #NAME}. Only SHA-256 hashes of tokens and keys are stored; both are long and
 * random, so a slow hash would add no protection.
 */
public interface Accounts {

  /** The namespace of the object. */
  String NAMESPACE = "http-accounts";

  /** The name of the object. */
  String NAME = "accounts";

  /**
   * Returns the grant of a token; compares in constant time.
   *
   * @param tokenId the public part of the token
   * @param secretHash the SHA-256 hash of the whole token, in hexadecimal
   * @return its grant; null if there is no such token
   */
  @Nullable Grant grantOfToken(String tokenId, String secretHash);

  /**
   * Returns the grant of an API key; compares in constant time.
   *
   * @param email the e-mail address of its owner
   * @param keyHash the SHA-256 hash of the key, in hexadecimal
   * @return its grant; null if there is no such pair
   */
  @Nullable Grant grantOfKey(String email, String keyHash);

  /**
   * Stores a token.
   *
   * @param grant the grant; its id is the public part of the token
   * @param secretHash the SHA-256 hash of the whole token, in hexadecimal
   */
  void addToken(Grant grant, String secretHash);

  /**
   * Stores an API key; an earlier key of the same owner is no longer valid.
   *
   * @param grant the grant; its id is the e-mail address
   * @param keyHash the SHA-256 hash of the key, in hexadecimal
   */
  void addKey(Grant grant, String keyHash);

  /** {@return all tokens and keys, tokens first, in the order of their ids} */
  List<CredentialEntry> credentials();

  /**
   * Changes the time from which a token or key is refused.
   *
   * @param id the id of the token or the e-mail address
   * @param expires the time; null for never
   * @return whether it exists
   */
  boolean expire(String id, @Nullable Instant expires);

  /**
   * Gives a token or key another secret; the former one is refused. Its grant and its time stay.
   *
   * @param id the id of the token or the e-mail address
   * @param secretHash the SHA-256 hash of the whole new token or key, in hexadecimal
   * @return whether it exists
   */
  boolean replaceSecret(String id, String secretHash);

  /**
   * Revokes a token or key.
   *
   * @param id the id of the token or the e-mail address
   * @return whether it existed
   */
  boolean revoke(String id);

  /** {@return whether any token or key is stored} */
  boolean hasCredentials();

  /**
   * Adds a zone to the list, or renames it.
   *
   * @param zone the zone
   */
  void addZone(ZoneEntry zone);

  /** {@return the zones in the order of their names} */
  List<ZoneEntry> zones();

  /**
   * {@return the zone with an id, or null}
   *
   * @param id the id
   */
  @Nullable ZoneEntry zone(String id);

  /**
   * {@return the key with which the addresses of report endpoints are signed: 32 bytes, generated
   * once}
   */
  byte[] reportKey();
}
