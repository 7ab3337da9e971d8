/**
 * The page monitor of a zone as a durable object: {@link
 * dev.holdfast.http.monitor.object.MonitorZone}, and what pages tell it.
 */
@NullMarked
package dev.holdfast.http.monitor.object;

import org.jspecify.annotations.NullMarked;
