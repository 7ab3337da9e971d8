/** Tests with real processes that are killed. */
@NullMarked
package dev.holdfast.system.crash;

import org.jspecify.annotations.NullMarked;
