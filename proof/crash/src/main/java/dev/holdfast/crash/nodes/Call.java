package dev.holdfast.crash.nodes;

/**
 * A call that a node is asked to make.
 *
 * @param kind what is done
 * @param name the object
 * @param rest the arguments, divided by blanks; empty for none
 */
record Call(String kind, String name, String rest) {

  /** What became of a call. */
  enum Outcome {
    /** It was answered. */
    ANSWERED,
    /** It surely had no effect, and will have none. */
    NONE,
    /** Nobody knows. */
    UNKNOWN
  }

  /** {@return the line that a node gets} */
  String line(long id) {
    return "do " + id + " " + kind + " " + name + (rest.isEmpty() ? "" : " " + rest);
  }

  boolean isOfNumber() {
    return kind.equals("read") || kind.equals("add") || kind.equals("set");
  }
}
