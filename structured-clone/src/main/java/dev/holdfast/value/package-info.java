/** Annotations of classes whose values are stored. */
@NullMarked
package dev.holdfast.value;

import org.jspecify.annotations.NullMarked;
