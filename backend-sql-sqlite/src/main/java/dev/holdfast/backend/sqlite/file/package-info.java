/**
 * The files of objects: where they are, and the saved state of each: its size and the checksums of
 * its pages, bound to the object and to a position, so that a file that is not the saved one is
 * detected. The marks that bind the catalog to the journal are here, too: they are checkpoints, as
 * files have them. {@code docs/formats/sqlite-files.md} defines the binding.
 */
@NullMarked
package dev.holdfast.backend.sqlite.file;

import org.jspecify.annotations.NullMarked;
