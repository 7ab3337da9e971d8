package dev.holdfast.console.page;

/** What an operator may do with an object. */
public enum ObjectAction {
  /** Takes the object back to a state. */
  RESTORE(
      "restore",
      "Restore",
      "Its calls in flight fail, and the next call finds the chosen state. A restore can be"
          + " undone."),
  /** Makes a new object with a state. */
  FORK("fork", "Fork", "A new object gets the chosen state. This object stays as it is."),
  /** Takes the object out of memory. */
  EVICT("evict", "Evict", "The object leaves the memory if it is idle. Its data stays."),
  /** Discards the instance. */
  RESET(
      "reset",
      "Reset",
      "Its calls in flight fail, and the running turn is lost. The next call starts from the stored"
          + " state."),
  /** Deletes the object. */
  DELETE(
      "delete",
      "Delete",
      "Its keys, tables and alarms are deleted. A restore undoes it while the history is kept.");

  private final String verb;
  private final String title;
  private final String consequence;

  ObjectAction(String verb, String title, String consequence) {
    this.verb = verb;
    this.title = title;
    this.consequence = consequence;
  }

  /** {@return the verb of the operation, which is also a part of addresses} */
  public String verb() {
    return verb;
  }

  /** {@return the word of the button} */
  public String title() {
    return title;
  }

  /** {@return what it does, in one or two sentences} */
  public String consequence() {
    return consequence;
  }
}
