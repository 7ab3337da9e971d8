/** Tests with real processes that are killed, and with random programs whose power is cut. */
@NullMarked
package dev.holdfast.kills;

import org.jspecify.annotations.NullMarked;
