package dev.holdfast.runtime.internal.storage;

import java.nio.charset.StandardCharsets;

/**
 * Encodes names of objects and schedules as bytes, one to one; for keys see {@link KeyText}.
 * Stateless.
 */
public final class NameText {

  private NameText() {}

  /**
   * Returns the UTF-8 of a name that identifies something.
   *
   * @param what it names, for the message
   * @param text the name
   * @return its bytes
   * @throws NullPointerException naming what is missing, if the name is null
   * @throws IllegalArgumentException if it has a lone surrogate: its UTF-8 would be a question
   *     mark's, and two names would be equal
   */
  public static byte[] encode(String what, String text) {
    if (text == null) {
      throw new NullPointerException(what + " is null.");
    }
    int lone = KeyText.loneSurrogate(text, 0);
    if (lone >= 0) {
      throw new IllegalArgumentException(
          what
              + " has a lone surrogate at index "
              + lone
              + ", which UTF-8 cannot express; use another name.");
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
