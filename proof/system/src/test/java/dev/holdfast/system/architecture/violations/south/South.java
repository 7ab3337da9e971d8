package dev.holdfast.system.architecture.violations.south;

import dev.holdfast.system.architecture.violations.north.attic.Attic;

/** No cycle of packages, but one of folders. */
public record South(Attic attic) {}
