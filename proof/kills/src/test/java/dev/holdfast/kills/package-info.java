/** Tests with real processes that are killed. */
@NullMarked
package dev.holdfast.kills;

import org.jspecify.annotations.NullMarked;
