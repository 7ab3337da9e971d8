package dev.holdfast.event;

/**
 * A consumer that the data directory knows. Immutable.
 *
 * @param topic its topic
 * @param name its name
 * @param position the position of the journal from which on it has not handled events; at least 1
 * @param lagRecords how many durable records the journal has from there on, of all kinds; 0 if no
 *     event of them is left
 * @param lagMillis the age of the oldest event that is being delivered, in milliseconds; 0 if none
 *     is, or the consumer does not run
 * @param handledEvents how many events it has handled since the runtime was opened
 * @param failedDeliveries how many deliveries have failed since then
 * @param isRunning whether this runtime delivers events to it now
 * @param isCutOff whether events that it has not handled are no longer kept: it receives nothing
 *     until it is reset
 */
public record ConsumerStatus(
    String topic,
    String name,
    long position,
    long lagRecords,
    long lagMillis,
    long handledEvents,
    long failedDeliveries,
    boolean isRunning,
    boolean isCutOff) {}
