package dev.holdfast.system.dependency;

/** How a process ended. */
record EndedProcess(int exitCode, String output, String errors) {}
