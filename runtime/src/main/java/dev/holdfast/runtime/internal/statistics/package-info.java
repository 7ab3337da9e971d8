/**
 * Counts what objects do. Depends on nothing else of the engine. What each turn counts is confined
 * to the holder of the turn; the rest is thread-safe.
 */
@NullMarked
package dev.holdfast.runtime.internal.statistics;

import org.jspecify.annotations.NullMarked;
