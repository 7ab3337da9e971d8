package dev.holdfast.runtime.internal.filter;

import dev.holdfast.ObjectId;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.storage.ObjectStorage;
import org.jspecify.annotations.Nullable;

/**
 * What filters see of a call, whichever of them.
 *
 * @param namespace of the object
 * @param id of the object
 * @param operation the method
 * @param arguments not changed by filters
 * @param alarm that runs; null for a call
 * @param storage of the object; null on the caller's side
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; lives as long as one call
public record Description(
    String namespace,
    ObjectId id,
    String operation,
    @Nullable Object[] arguments,
    @Nullable AlarmInfo alarm,
    @Nullable ObjectStorage storage) {}
