/**
 * Step 3 of a call: the turn, the stretch of object code between two waits. Owns what a turn reads
 * and writes, its waits, and the reset of an instance. Before it: the instance. After it: the gates
 * and the storage.
 */
@NullMarked
package dev.holdfast.runtime.internal.turn;

import org.jspecify.annotations.NullMarked;
