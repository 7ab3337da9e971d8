package dev.holdfast.http;

/**
 * A header to add to a response, as a separate line. Immutable.
 *
 * @param name its name
 * @param value its value
 */
public record Header(String name, String value) {}
