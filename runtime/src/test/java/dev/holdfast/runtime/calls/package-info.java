/** Calls of objects: their order, load, refusals and copies. */
@NullMarked
package dev.holdfast.runtime.calls;

import org.jspecify.annotations.NullMarked;
