/**
 * The archive: a copy of the journal away from the data directory, from which a whole runtime can
 * be restored to any moment. {@code docs/operations/archive.md} has the use, {@code
 * docs/formats/archive.md} the content.
 */
@NullMarked
package dev.holdfast.archive;

import org.jspecify.annotations.NullMarked;
