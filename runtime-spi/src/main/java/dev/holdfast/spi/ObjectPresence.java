package dev.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a batch states about its object. Immutable.
 *
 * @param exists whether the object has anything after the batch
 * @param name the name of the object, if the batch has it
 */
public record ObjectPresence(boolean exists, @Nullable String name) {}
