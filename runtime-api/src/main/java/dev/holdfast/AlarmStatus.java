package dev.holdfast;

import java.time.Instant;

/**
 * An alarm as it is stored. Immutable.
 *
 * @param id the object of the alarm, with its name if the name is known
 * @param name the name of the alarm; empty for the alarm of {@code setAlarm}
 * @param dueTime the time of its next run, or the time when it was given up
 * @param scheduledTime the time that was set
 * @param retryCount the number of failed tries that count
 */
public record AlarmStatus(
    ObjectId id, String name, Instant dueTime, Instant scheduledTime, int retryCount) {}
