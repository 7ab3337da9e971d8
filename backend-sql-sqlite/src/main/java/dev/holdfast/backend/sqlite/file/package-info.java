/**
 * The files of objects: where they are, and what the file of an object was when it was saved: its
 * size and the checksums of its pages, bound to the object and to a position, so that a file that
 * is not the saved one is noticed. {@code docs/formats/sqlite-files.md} defines the binding.
 */
@NullMarked
package dev.holdfast.backend.sqlite.file;

import org.jspecify.annotations.NullMarked;
