/**
 * The events of Java Flight Recorder. Each is made where the number beside it is counted. Depends
 * on nothing else of the engine.
 *
 * <p>While an event is off, nothing of it is allocated: {@code begun()} returns null. When memory
 * runs out, it does the same: an event is never worth an object. Stateless.
 */
@NullMarked
package dev.holdfast.runtime.internal.jfr;

import org.jspecify.annotations.NullMarked;
