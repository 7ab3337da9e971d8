/** Values that objects have read lately, in memory, within one bound for the whole runtime. */
@NullMarked
package dev.holdfast.runtime.internal.cache;

import org.jspecify.annotations.NullMarked;
