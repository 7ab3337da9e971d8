package dev.holdfast.clone.internal;

/** The characters that are stored in one byte. */
public final class Latin1 {

  public static boolean covers(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 0xFF) {
        return false;
      }
    }
    return true;
  }

  private Latin1() {}
}
