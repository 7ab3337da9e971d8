package dev.holdfast.statistics;

import dev.holdfast.ObjectId;

/**
 * An object that was busy lately.
 *
 * @param namespace the name of its namespace
 * @param id the object
 * @param value how busy, in the unit of {@link BusyBy}; calls are an estimate from samples
 */
public record BusyObject(String namespace, ObjectId id, long value) {}
