package dev.holdfast.journal.group;

import dev.holdfast.spi.Journal.DurabilityListener;

/**
 * A listener and the position it waits for.
 *
 * @param position the position that must become durable
 * @param listener the listener to notify
 */
public record DurableCallback(long position, DurabilityListener listener) {}
