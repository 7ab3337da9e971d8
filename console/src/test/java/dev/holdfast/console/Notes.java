package dev.holdfast.console;

/** The calls of the objects that are shown. */
interface Notes {
  void put(String key, String value);

  String get(String key);

  void sql(String statement);
}
