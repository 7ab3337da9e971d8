package dev.holdfast.http;

/**
 * A header to be added to a response, as a line of its own. Immutable.
 *
 * @param name its name
 * @param value its value
 */
public record Header(String name, String value) {}
