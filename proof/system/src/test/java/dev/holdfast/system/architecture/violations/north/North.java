package dev.holdfast.system.architecture.violations.north;

import dev.holdfast.system.architecture.violations.south.South;

/** Needs the package that needs one below this. */
public record North(South south) {}
