package dev.holdfast.http.internal;

/**
 * Reads libraries that are no modules: does what a "requires" would do if they had stable names.
 */
public final class ModuleReads {

  private ModuleReads() {}

  /**
   * Lets this module read a library, wherever it is.
   *
   * @param type the name of one of its classes; a class literal would be refused before it is read
   */
  public static void of(String type) {
    try {
      ModuleReads.class.getModule().addReads(Class.forName(type).getModule());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(
          "the library with " + type + " is missing: add the dependencies of holdfast-http-api", e);
    }
  }
}
