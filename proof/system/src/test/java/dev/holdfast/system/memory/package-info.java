/** Operations that need little memory for any amount of data. */
@NullMarked
package dev.holdfast.system.memory;

import org.jspecify.annotations.NullMarked;
