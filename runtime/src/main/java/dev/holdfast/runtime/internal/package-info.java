/**
 * The bounds of the engine, and delays as its timers take them: what all of its packages share.
 * Depends on none of them.
 */
@NullMarked
package dev.holdfast.runtime.internal;

import org.jspecify.annotations.NullMarked;
