package dev.holdfast.conformance.value;

/**
 * A JavaScript value without a Java counterpart: a function, a symbol, a host object. For the
 * storage it is an object of a class that cannot be cloned, as in JavaScript: neither a record nor
 * a class with a constructor for all. Immutable.
 */
public final class Foreign {

  private final String name;
  private final boolean stored;

  private Foreign(String name, boolean stored) {
    this.name = name;
    this.stored = stored;
  }

  static Foreign of(String name, boolean stored) {
    return new Foreign(name, stored);
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
