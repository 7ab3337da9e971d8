package dev.holdfast.http.object;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The credentials and the list of zones of one installation, as a durable object; there is one of
 * it, named {@link #NAME}. Of tokens and keys only SHA-256 hashes are stored; both are long and
 * random, so that a slow hash would protect nothing.
 */
public interface Accounts {

  /** The namespace of the object. */
  String NAMESPACE = "http-accounts";

  /** The name of the object. */
  String NAME = "accounts";

  /**
   * Finds what a token allows; compares in constant time.
   *
   * @param tokenId the public part of the token
   * @param secretHash the SHA-256 hash of the whole token, in hexadecimal
   * @return what it allows; null if there is no such token
   */
  @Nullable Grant grantOfToken(String tokenId, String secretHash);

  /**
   * Finds what an API key allows; compares in constant time.
   *
   * @param email the e-mail address of its owner
   * @param keyHash the SHA-256 hash of the key, in hexadecimal
   * @return what it allows; null if there is no such pair
   */
  @Nullable Grant grantOfKey(String email, String keyHash);

  /**
   * Stores a token.
   *
   * @param grant what it allows; its id is the public part of the token
   * @param secretHash the SHA-256 hash of the whole token, in hexadecimal
   */
  void addToken(Grant grant, String secretHash);

  /**
   * Stores an API key; an earlier one of the same owner is no longer valid.
   *
   * @param grant what it allows; its id is the e-mail address
   * @param keyHash the SHA-256 hash of the key, in hexadecimal
   */
  void addKey(Grant grant, String keyHash);

  /**
   * Makes a token or key invalid.
   *
   * @param id the id of the token or the e-mail address
   * @return whether there was one
   */
  boolean revoke(String id);

  /** {@return whether any token or key is stored} */
  boolean hasCredentials();

  /**
   * Enters a zone into the list, or gives it another name.
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
   * {@return the key with which the addresses of report endpoints are signed: 32 bytes, made once}
   */
  byte[] reportKey();
}
