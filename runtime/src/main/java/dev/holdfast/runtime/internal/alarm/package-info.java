/**
 * Runs the handlers of alarms as events of their objects, and stores the results with the objects.
 * Before it: the module {@code alarms}, which finds alarms that are due. After it: the instance.
 */
@NullMarked
package dev.holdfast.runtime.internal.alarm;

import org.jspecify.annotations.NullMarked;
