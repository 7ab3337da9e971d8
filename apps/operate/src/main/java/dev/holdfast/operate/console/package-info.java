/** The verb {@code console}. */
@NullMarked
package dev.holdfast.operate.console;

import org.jspecify.annotations.NullMarked;
