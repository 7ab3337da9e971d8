/**
 * The front door of Holdfast: the runtime, its namespaces, stubs, and the context of an object.
 * Storage is in {@link dev.holdfast.storage}, SQL in {@link dev.holdfast.sql}, the history of
 * objects in {@link dev.holdfast.recovery}, handlers of alarms in {@link dev.holdfast.alarm},
 * further errors in {@code dev.holdfast.errors}.
 */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
