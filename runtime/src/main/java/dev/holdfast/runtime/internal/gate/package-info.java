/**
 * Steps 4 and 9 of a call. The input gate decides which execution may run the object now; the
 * output gate holds a message until the journal has made durable what it depends on. Before it: the
 * turn. After it: object code (input), the caller (output).
 */
@NullMarked
package dev.holdfast.runtime.internal.gate;

import org.jspecify.annotations.NullMarked;
