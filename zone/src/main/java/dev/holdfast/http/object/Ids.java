package dev.holdfast.http.object;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** The identifiers of the API: 32 lower-case hexadecimal digits. */
public final class Ids {

  private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
  private static final Pattern DOMAIN =
      Pattern.compile(
          "(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*");

  private Ids() {}

  /**
   * {@return a new identifier}
   *
   * @param random the source of its 16 bytes
   */
  public static String next(RandomGenerator random) {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * {@return whether a text has the form of an identifier}
   *
   * @param text any text
   */
  public static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  /**
   * {@return whether a text is a domain in lower case}
   *
   * @param text any text
   */
  public static boolean isDomain(String text) {
    return DOMAIN.matcher(text).matches();
  }

  /**
   * {@return the SHA-256 hash of a content, in hexadecimal}
   *
   * @param content the content
   * @throws IllegalStateException if this Java platform has no SHA-256
   */
  public static String hash(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
