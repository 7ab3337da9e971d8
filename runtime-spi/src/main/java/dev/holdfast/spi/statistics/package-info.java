/**
 * How the journal and the backends measure themselves. This package is for authors of backends;
 * applications do not use it.
 */
@NullMarked
package dev.holdfast.spi.statistics;

import org.jspecify.annotations.NullMarked;
