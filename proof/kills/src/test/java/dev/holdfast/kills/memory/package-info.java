/** Operations that need little memory for any amount of data. */
@NullMarked
package dev.holdfast.kills.memory;

import org.jspecify.annotations.NullMarked;
