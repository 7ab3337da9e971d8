/**
 * Checks the files of a data directory that no runtime has open: each file against its saved state,
 * the catalog against the objects, and both against the journal. Changes nothing there; what must
 * be written is written into a scratch directory.
 */
@NullMarked
package dev.holdfast.verify.sqlite;

import org.jspecify.annotations.NullMarked;
