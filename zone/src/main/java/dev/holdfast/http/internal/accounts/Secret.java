package dev.holdfast.http.internal.accounts;

import dev.holdfast.http.object.Ids;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A token or key as its owner holds it. The id is in a token, so that a token is found without
 * comparing secrets.
 */
public final class Secret {

  private static final String PREFIX = "hf_";
  private static final int ID_LENGTH = 16;
  private static final int SECRET_BYTES = 24;

  private Secret() {}

  /**
   * {@return a new token}
   *
   * @param random unpredictable
   */
  public static String newToken(RandomGenerator random) {
    return newToken(random, hex(random, ID_LENGTH / 2));
  }

  /**
   * {@return a new token with a known id}
   *
   * @param random unpredictable
   * @param id the id of a token
   */
  public static String newToken(RandomGenerator random, String id) {
    return PREFIX + id + "_" + hex(random, SECRET_BYTES);
  }

  /**
   * {@return a new API key}
   *
   * @param random unpredictable
   */
  public static String newKey(RandomGenerator random) {
    return hex(random, SECRET_BYTES);
  }

  /**
   * {@return the id in a token, or null if it is not a token of this service}
   *
   * @param token what was sent
   */
  public static @Nullable String idOf(String token) {
    int end = PREFIX.length() + ID_LENGTH;
    boolean ours = token.startsWith(PREFIX) && token.length() > end && token.charAt(end) == '_';
    return ours ? token.substring(PREFIX.length(), end) : null;
  }

  /**
   * {@return the SHA-256 hash of a token or key, in hexadecimal}
   *
   * @param secret the token or key
   */
  public static String hash(String secret) {
    return Ids.hash(secret.getBytes(StandardCharsets.UTF_8));
  }

  private static String hex(RandomGenerator random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
