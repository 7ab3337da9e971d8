package dev.holdfast.http.object;

/**
 * A zone in the list of zones. Immutable.
 *
 * @param id its id
 * @param name its domain
 */
public record ZoneEntry(String id, String name) {}
