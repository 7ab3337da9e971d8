/**
 * The interfaces that the engine depends on: a journal, storage backends that are views of it, time
 * and threads. This package is for authors of backends; applications do not use it.
 */
@NullMarked
package dev.holdfast.spi;

import org.jspecify.annotations.NullMarked;
