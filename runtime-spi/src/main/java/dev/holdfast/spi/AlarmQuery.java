package dev.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * Which alarms of a namespace to read from the index. Immutable.
 *
 * @param namespace the namespace
 * @param state only alarms in this state
 * @param after only alarms after this one in {@link AlarmEntry#ORDER}; null for all
 * @param dueMillisMax only alarms that are due at this time or before
 * @param limit maximum number of entries, at least 1
 */
public record AlarmQuery(
    String namespace,
    AlarmRecord.State state,
    @Nullable AlarmEntry after,
    long dueMillisMax,
    int limit) {}
