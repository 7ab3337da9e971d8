package dev.holdfast.event;

import java.time.Instant;

/**
 * An event that an object has emitted. Position and index together name it: they are unique in a
 * data directory, ascend in the order of the journal, and are the same at each delivery. A consumer
 * that stores them recognises a repetition. Where objects are divided among another number of
 * shards, both are other ones.
 *
 * @param <T> the type of the value
 * @param topic the topic it was emitted to
 * @param namespace the namespace of the object
 * @param object the id of the object, 64 hexadecimal digits
 * @param position where the events of the turn are in the journal; at least 1
 * @param index the number of the event among the events of its turn; from 0 on
 * @param time when the turn was sealed, by the clock of the runtime; of millisecond precision
 * @param value what was emitted; a copy that belongs to the receiver
 */
public record Event<T>(
    String topic,
    String namespace,
    String object,
    long position,
    int index,
    Instant time,
    T value) {}
