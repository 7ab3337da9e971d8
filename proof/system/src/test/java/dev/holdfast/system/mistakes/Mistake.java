package dev.holdfast.system.mistakes;

/**
 * A mistake of a user.
 *
 * @param title what the user does
 * @param act does it, and returns what the user sees
 */
record Mistake(String title, Act act) {

  /** Makes the mistake. */
  @FunctionalInterface
  interface Act {

    /** {@return what the log says} */
    String see(Host host) throws Exception;
  }

  /** Makes the mistake, and throws what the user catches. */
  @FunctionalInterface
  interface Failure {

    /** Throws. */
    void run(Host host) throws Throwable;
  }

  /** {@return a mistake that is reported by an exception} */
  static Mistake of(String title, Failure failure) {
    return new Mistake(
        title,
        host -> {
          try {
            failure.run(host);
          } catch (Throwable e) {
            return FailureText.of(e);
          }
          throw new AssertionError("The mistake is not noticed: " + title);
        });
  }

  /** {@return a mistake that is reported in the log} */
  static Mistake logged(String title, Act act) {
    return new Mistake(title, act);
  }

  @Override
  public String toString() {
    return title;
  }
}
