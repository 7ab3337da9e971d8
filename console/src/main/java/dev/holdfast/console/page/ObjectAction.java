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
      "Its keys, tables and alarms are deleted. A restore undoes it while the history is kept."),
  /** Removes the history of the object. */
  PURGE(
      "purge",
      "Purge the history",
      "All earlier states of the object are removed for ever, and no change of it until now can be"
          + " undone. Its present state stays. Archives and backups keep what they have."),
  /** Sets a key to a value. */
  PUT(
      "put",
      "Set a key",
      "The key gets this value. Calls in flight fail, and the next call finds it. It can be"
          + " undone."),
  /** Deletes a key. */
  REMOVE(
      "remove",
      "Delete a key",
      "The key is deleted. Calls in flight fail, and the next call finds it gone. It can be"
          + " undone."),
  /** Runs a statement that writes. */
  EXEC(
      "exec",
      "Run a statement that writes",
      "The statement changes the tables of the object. Calls in flight fail, and the next call"
          + " finds the change. It can be undone."),
  /** Sets an alarm. */
  ARM(
      "alarm-set",
      "Set an alarm",
      "The alarm fires at this time, in place of an alarm or a schedule with its name. Calls in"
          + " flight fail. It can be undone."),
  /** Deletes an alarm. */
  CANCEL(
      "alarm-cancel",
      "Cancel an alarm",
      "The alarm is deleted and does not fire. Calls in flight fail. It can be undone.");

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

  /** {@return whether it shows or takes stored values, which are hidden from some} */
  public boolean isOfValues() {
    return this == PUT || this == EXEC;
  }

  /**
   * {@return the action of a verb}
   *
   * @param verb the verb
   * @throws PageException if there is none
   */
  public static ObjectAction of(String verb) {
    for (ObjectAction each : values()) {
      if (each.verb.equals(verb)) {
        return each;
      }
    }
    throw new PageException(400, "There is no action " + verb + ".");
  }
}
