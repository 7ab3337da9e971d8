/** From the first call of an object to its eviction, its reset or the end of the runtime. */
@NullMarked
package dev.holdfast.runtime.lifecycle;

import org.jspecify.annotations.NullMarked;
