/** Annotations of classes whose values are stored: names of components and classes, old and new. */
@NullMarked
package dev.holdfast.value;

import org.jspecify.annotations.NullMarked;
