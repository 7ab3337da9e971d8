package dev.holdfast.guide;

/** The result of a process. */
record EndedProcess(int exitCode, String output, String errors) {}
