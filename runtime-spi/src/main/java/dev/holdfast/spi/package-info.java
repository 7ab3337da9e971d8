/**
 * What the engine needs from others: a journal, storage backends that are views of it, time and
 * threads. Applications do not use this package; authors of backends do.
 */
@NullMarked
package dev.holdfast.spi;

import org.jspecify.annotations.NullMarked;
