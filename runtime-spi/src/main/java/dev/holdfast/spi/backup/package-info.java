/** Copies of a data directory in use: where files go, and how the journal and views give them. */
@NullMarked
package dev.holdfast.spi.backup;

import org.jspecify.annotations.NullMarked;
