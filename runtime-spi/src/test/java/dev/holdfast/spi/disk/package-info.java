/** Tests of the real disk. */
@NullMarked
package dev.holdfast.spi.disk;

import org.jspecify.annotations.NullMarked;
