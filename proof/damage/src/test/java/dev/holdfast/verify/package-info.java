/** Tests of checks and repair, on directories that a runtime has written. */
@NullMarked
package dev.holdfast.verify;

import org.jspecify.annotations.NullMarked;
