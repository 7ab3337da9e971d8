package dev.holdfast;

/** Which engine keeps the data of a namespace's objects. */
public enum StorageKind {

  /** A SQLite database for each object: key-value API and SQL API. */
  SQLITE
}
