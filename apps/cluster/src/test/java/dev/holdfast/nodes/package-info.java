/** The verb cluster. */
@NullMarked
package dev.holdfast.nodes;

import org.jspecify.annotations.NullMarked;
