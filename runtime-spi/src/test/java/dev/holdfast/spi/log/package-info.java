/** Tests of the entries of a log. */
@NullMarked
package dev.holdfast.spi.log;

import org.jspecify.annotations.NullMarked;
