package dev.holdfast.clone.codec.bytes;

/** The flags of regular expressions, as the bits that are stored. */
public final class RegExpFlags {

  /** The letters of the flags, at the index of their bit; a blank for an unused bit. */
  private static final String LETTERS_BY_BIT = "gimyus dv";

  /**
   * Returns the letters of the bits read.
   *
   * @throws IllegalArgumentException if a bit is unused
   */
  public static String letters(int bits) {
    StringBuilder flags = new StringBuilder();
    int rest = bits;
    for (int bit = 0; bit < LETTERS_BY_BIT.length(); bit++) {
      if ((bits & 1 << bit) != 0 && LETTERS_BY_BIT.charAt(bit) != ' ') {
        flags.append(LETTERS_BY_BIT.charAt(bit));
        rest &= ~(1 << bit);
      }
    }
    if (rest != 0) {
      throw new IllegalArgumentException("flags 0x" + Integer.toHexString(bits));
    }
    return flags.toString();
  }

  public static int bits(String letters) {
    int bits = 0;
    for (int i = 0; i < letters.length(); i++) {
      bits |= 1 << LETTERS_BY_BIT.indexOf(letters.charAt(i));
    }
    return bits;
  }

  private RegExpFlags() {}
}
