package dev.holdfast.console;

/** The calls of the objects that are shown. */
interface Notes {
  void put(String key, String value);

  String get(String key);

  /** Runs a statement, where there is SQL. */
  default void sql(String statement) {
    throw new UnsupportedOperationException(statement);
  }
}
