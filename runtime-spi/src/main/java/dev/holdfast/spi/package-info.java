/** Contracts between the engine and its storage backends, journal, directory and clock. */
@NullMarked
package dev.holdfast.spi;

import org.jspecify.annotations.NullMarked;
