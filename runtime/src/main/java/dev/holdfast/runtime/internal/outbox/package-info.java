/**
 * The ways out of an object: actions after a durable turn, listeners in the process, and events in
 * the journal with their consumers. Depends on nothing else of the engine but its log.
 */
@NullMarked
package dev.holdfast.runtime.internal.outbox;

import org.jspecify.annotations.NullMarked;
