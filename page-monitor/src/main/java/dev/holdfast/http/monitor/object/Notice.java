package dev.holdfast.http.monitor.object;

/**
 * Something that the reader of a list should know. Immutable.
 *
 * @param code the code that clients know
 * @param message the text
 */
public record Notice(int code, String message) {}
