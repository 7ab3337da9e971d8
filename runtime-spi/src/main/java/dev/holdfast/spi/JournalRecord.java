package dev.holdfast.spi;

import java.nio.ByteBuffer;

/**
 * One record as read back from the journal.
 *
 * @param position its place in the total order of all records of the runtime; the first is 1
 * @param wallMillis when it was appended, by the wall clock at that time, milliseconds since 1970;
 *     may be less than that of the record before it
 * @param kind what it says
 * @param viewId the {@link JournalView#viewId} that wrote it
 * @param key the object it is about
 * @param payload the view's bytes, read-only; valid only until the visitor returns
 */
public record JournalRecord(
    long position,
    long wallMillis,
    RecordKind kind,
    int viewId,
    ObjectKey key,
    ByteBuffer payload) {}
