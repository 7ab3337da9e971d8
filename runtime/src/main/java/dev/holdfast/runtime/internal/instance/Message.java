package dev.holdfast.runtime.internal.instance;

import dev.holdfast.runtime.internal.turn.Cancellation;
import org.jspecify.annotations.Nullable;

/**
 * A call on its way to an object.
 *
 * @param delivery how it becomes a call of object code
 * @param arguments copies that belong to the object
 * @param position what its messages depend on: the caller's output gate, as it sent them
 * @param cancellation how long it may wait for its first turn
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; lives as long as one call
record Message(
    CallDelivery delivery,
    @Nullable Object[] arguments,
    long position,
    Cancellation cancellation) {}
