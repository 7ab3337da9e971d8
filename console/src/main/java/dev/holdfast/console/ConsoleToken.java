package dev.holdfast.console;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * A token that lets a person into the console. Only its hash is kept: a token has 128 random bits
 * or more, so a fast hash is enough. Immutable.
 *
 * @param role what the person may do
 * @param hash SHA-256 of the token in UTF-8, 64 hexadecimal digits in lower case
 */
public record ConsoleToken(ConsoleRole role, String hash) {

  private static final int CHARS_MIN = 20;
  private static final int RANDOM_BYTES = 16;

  /**
   * Returns the entry of a token.
   *
   * @param role what its owner may do
   * @param token the token, at least 20 characters
   * @return the entry, without the token
   * @throws IllegalArgumentException if the token is shorter
   */
  public static ConsoleToken of(ConsoleRole role, String token) {
    if (token.length() < CHARS_MIN) {
      throw new IllegalArgumentException(
          "A token of the console needs at least " + CHARS_MIN + " characters; take random ones");
    }
    return new ConsoleToken(role, hash(token));
  }

  /** {@return a new token of 128 random bits, which nothing keeps} */
  public static String random() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  static String hash(String token) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  boolean isOf(String token) {
    return MessageDigest.isEqual(
        hash.getBytes(StandardCharsets.US_ASCII), hash(token).getBytes(StandardCharsets.US_ASCII));
  }
}
