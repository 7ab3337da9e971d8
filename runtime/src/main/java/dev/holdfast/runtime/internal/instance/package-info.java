/**
 * Step 2 of a call: finds the instance of an object or makes one, runs the call in it, and ends it
 * when it is idle, reset or the runtime closes. {@code Instances} is also the way of the reply,
 * which it holds until the output gate is open. Beside the way of a call: what operators do with an
 * object, and what watches all of them. Before it: the stub. After it: the turn.
 */
@NullMarked
package dev.holdfast.runtime.internal.instance;

import org.jspecify.annotations.NullMarked;
