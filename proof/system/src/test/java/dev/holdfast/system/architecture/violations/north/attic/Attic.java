package dev.holdfast.system.architecture.violations.north.attic;

/** Below the package that needs the one that needs this. */
public record Attic(int rooms) {}
