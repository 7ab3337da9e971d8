package dev.holdfast.system.dependency;

/** The result of a process. */
record EndedProcess(int exitCode, String output, String errors) {}
