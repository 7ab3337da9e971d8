package dev.holdfast.runtime.internal.outbox;

/**
 * A place between two events.
 *
 * @param position the position of the journal from which on events are not handled
 * @param index how many events of the record at that position are handled
 */
public record EventPlace(long position, int index) {}
