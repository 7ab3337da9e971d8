/** The events of Java Flight Recorder that need all modules. */
@NullMarked
package dev.holdfast.system.events;

import org.jspecify.annotations.NullMarked;
