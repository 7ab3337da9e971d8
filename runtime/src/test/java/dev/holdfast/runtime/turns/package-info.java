/** Turns: where they interleave, what keeps others out, and what leaves them. */
@NullMarked
package dev.holdfast.runtime.turns;

import org.jspecify.annotations.NullMarked;
