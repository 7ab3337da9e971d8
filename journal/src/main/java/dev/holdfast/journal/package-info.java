/** The write-ahead journal: segments, records, group commit and the recovery scan. */
@NullMarked
package dev.holdfast.journal;

import org.jspecify.annotations.NullMarked;
