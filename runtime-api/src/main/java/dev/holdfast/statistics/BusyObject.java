package dev.holdfast.statistics;

import java.util.Optional;

/**
 * An object that was busy lately.
 *
 * @param namespace the name of its namespace
 * @param id its id, 64 hexadecimal digits
 * @param name its name; empty if its id was not made from a name here
 * @param value how busy, in the unit of {@link BusyBy}; calls are an estimate from samples
 */
public record BusyObject(String namespace, String id, Optional<String> name, long value) {}
