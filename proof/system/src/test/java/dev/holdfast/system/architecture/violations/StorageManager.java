package dev.holdfast.system.architecture.violations;

/** A name that says nothing. */
final class StorageManager {
  /** Another one, nested. */
  static final class StorageImpl {}
}
