package dev.holdfast.conformance.value;

/**
 * A JavaScript value that no Java program has: a function, a symbol, a host object. Handed to the
 * storage it is an object of a class that cannot be cloned, which is what it is in JavaScript too.
 * (Not a record, because records can be cloned.) Immutable.
 */
public final class Foreign {

  private final String name;
  private final boolean stored;

  Foreign(String name, boolean stored) {
    this.name = name;
    this.stored = stored;
  }

  /** {@return what the recordings call it} */
  public String name() {
    return name;
  }

  /** {@return whether the reference can store it, so that there is nothing to compare with} */
  public boolean isStored() {
    return stored;
  }

  /** {@return whether it is a symbol, the one primitive among them} */
  public boolean isSymbol() {
    return name.equals("symbol");
  }
}
