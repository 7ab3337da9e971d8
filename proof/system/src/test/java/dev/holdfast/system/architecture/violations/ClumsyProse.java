package dev.holdfast.system.architecture.violations;

/** Whoever reads this takes note of it, and there are so many phrases. */
final class ClumsyProse {

  // Sees to it that the rule
  // is told.
  private ClumsyProse() {}
}
