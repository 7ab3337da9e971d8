package dev.holdfast.conformance.value;

/**
 * A JavaScript value without a Java counterpart: a function, a symbol, a host object. For the
 * storage it is an object of a class that cannot be cloned, as in JavaScript. (Not a record,
 * because records can be cloned.) Immutable.
 */
public final class Foreign {

  private final String name;
  private final boolean stored;

  Foreign(String name, boolean stored) {
    this.name = name;
    this.stored = stored;
  }

  /** {@return its name in the recordings} */
  public String name() {
    return name;
  }

  /** {@return whether the reference can store it, so that there is nothing to compare with} */
  public boolean isStored() {
    return stored;
  }

  /** {@return whether it is a symbol, the only primitive among these values} */
  public boolean isSymbol() {
    return name.equals("symbol");
  }
}
