package dev.holdfast.http.monitor.object;

/**
 * A header of a page, as a separate line. Immutable.
 *
 * @param name its name
 * @param value its value
 */
public record PageHeader(String name, String value) {}
