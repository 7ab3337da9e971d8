package dev.holdfast.console;

/** What a person may do in the console. */
public enum ConsoleRole {
  /** Looks at everything that the console shows. */
  VIEWER,
  /** Changes objects, too. */
  OPERATOR
}
