/** Runs the handlers of alarms, and keeps what comes of that with the objects. */
@NullMarked
package dev.holdfast.runtime.internal.alarm;

import org.jspecify.annotations.NullMarked;
