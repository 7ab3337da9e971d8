/** Whether a runtime works, with reasons that an operator can act on. */
@NullMarked
package dev.holdfast.health;

import org.jspecify.annotations.NullMarked;
