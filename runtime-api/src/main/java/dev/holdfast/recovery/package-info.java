/** The past of objects, for operators: history, differences between states, restores and copies. */
@NullMarked
package dev.holdfast.recovery;

import org.jspecify.annotations.NullMarked;
