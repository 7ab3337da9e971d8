/**
 * What operators may see of a runtime beyond its API: the engine implements it, and the operations
 * for operators are written against it.
 */
@NullMarked
package dev.holdfast.spi.inspect;

import org.jspecify.annotations.NullMarked;
