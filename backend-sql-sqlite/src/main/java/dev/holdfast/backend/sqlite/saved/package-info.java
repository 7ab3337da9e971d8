/**
 * What the file of an object is when it is saved: its size and the checksums of its pages, bound to
 * the object and to a position. {@code docs/formats/sqlite-files.md} is the law.
 */
@NullMarked
package dev.holdfast.backend.sqlite.saved;

import org.jspecify.annotations.NullMarked;
