package dev.holdfast.spi.log;

/**
 * The name of a node in its cluster.
 *
 * @param name 1 to 63 characters: small letters, digits and hyphens, the first one no hyphen
 */
public record NodeId(String name) {

  /**
   * Checks the name.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  public NodeId {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "A node has a name of 1 to 63 small letters, digits and hyphens, and does not begin with"
              + " a hyphen; got \""
              + name
              + "\"");
    }
  }

  private static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= 63
        && name.charAt(0) != '-'
        && name.chars()
            .allMatch(
                each ->
                    (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '-');
  }

  @Override
  public String toString() {
    return name;
  }
}
