package dev.holdfast.system.architecture.violations.west;

import dev.holdfast.system.architecture.violations.east.East;

/** Half of a cycle. */
public record West(East east) {}
