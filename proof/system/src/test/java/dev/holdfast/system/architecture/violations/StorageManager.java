package dev.holdfast.system.architecture.violations;

/** A name without information. */
final class StorageManager {
  /** Another one, nested. */
  static final class StorageImpl {}
}
