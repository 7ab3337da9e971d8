/**
 * The {@code -wal} file of an open database, read commit by commit, and the batches made from it.
 */
@NullMarked
package dev.holdfast.backend.sqlite.wal;

import org.jspecify.annotations.NullMarked;
