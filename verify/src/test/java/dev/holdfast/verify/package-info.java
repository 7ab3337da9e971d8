/**
 * What a check says of directories that it does not read; the other tests are in {@code
 * proof/damage}.
 */
@NullMarked
package dev.holdfast.verify;

import org.jspecify.annotations.NullMarked;
