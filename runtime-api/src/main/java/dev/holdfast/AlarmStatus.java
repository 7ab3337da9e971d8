package dev.holdfast;

import java.time.Instant;

/**
 * An alarm as it is stored. Immutable.
 *
 * @param id whose alarm; with the object's name if that is known
 * @param name the name of the alarm; empty for that of {@code setAlarm}
 * @param dueTime when it fires next, or when it was given up
 * @param scheduledTime the time it was set to
 * @param retryCount how many tries have failed and count
 */
public record AlarmStatus(
    ObjectId id, String name, Instant dueTime, Instant scheduledTime, int retryCount) {}
