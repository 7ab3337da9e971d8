package dev.holdfast.runtime.internal.storage;

import java.nio.charset.StandardCharsets;

/** Names of objects and schedules as bytes, one for one; keys are {@link KeyText}. Stateless. */
public final class NameText {

  private NameText() {}

  /**
   * Returns the UTF-8 of a name that tells things apart.
   *
   * @param what it names, for the message
   * @param text the name
   * @return its bytes
   * @throws IllegalArgumentException if it has a lone surrogate: its UTF-8 would be that of a
   *     question mark, and two names would become one
   */
  public static byte[] encode(String what, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (i + 1 == text.length()
            || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
          throw new IllegalArgumentException(
              what + " has a lone surrogate at index " + i + ", which UTF-8 cannot express.");
        }
        i++;
      }
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
