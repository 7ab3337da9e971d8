/** The verbs {@code verify} and {@code repair}. */
@NullMarked
package dev.holdfast.operate.verify;

import org.jspecify.annotations.NullMarked;
