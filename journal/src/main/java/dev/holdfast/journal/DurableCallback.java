package dev.holdfast.journal;

import dev.holdfast.spi.Journal.DurabilityListener;

/**
 * A listener and the position it waits for.
 *
 * @param position what must become durable
 * @param listener whom to tell
 */
record DurableCallback(long position, DurabilityListener listener) {}
