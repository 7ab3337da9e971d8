package dev.holdfast.system.dependency;

/** How a process ended. */
record Run(int exitCode, String output, String errors) {}
