/**
 * Step 4 and 9 of a call: who may run the object now, and what a message waits for before it
 * leaves. Before it: the turn. After it: object code (input), the caller (output).
 */
@NullMarked
package dev.holdfast.runtime.internal.gate;

import org.jspecify.annotations.NullMarked;
