/** Tests of {@code verify} and {@code repair} as verbs. */
@NullMarked
package dev.holdfast.operate.verify;

import org.jspecify.annotations.NullMarked;
