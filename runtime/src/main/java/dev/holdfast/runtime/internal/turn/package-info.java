/**
 * Step 3 of a call: the turn, the stretch of object code between two waits. Owns what a turn reads
 * and writes, its waits, and the reset of an instance. {@code TurnAdmission} brings an execution to
 * its turn. Before it: the instance. After it: the gates. The storage that object code uses is
 * above it, and works on the store turn that this package opens and seals.
 */
@NullMarked
package dev.holdfast.runtime.internal.turn;

import org.jspecify.annotations.NullMarked;
