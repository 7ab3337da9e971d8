package dev.holdfast.runtime.internal.outbox;

/**
 * An event as it is stored.
 *
 * @param topic the topic
 * @param value the encoded value; not changed by anyone
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never changed
record PendingEvent(String topic, byte[] value) {}
