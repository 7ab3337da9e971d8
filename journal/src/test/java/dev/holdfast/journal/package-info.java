/** Tests of the journal. */
@NullMarked
package dev.holdfast.journal;

import org.jspecify.annotations.NullMarked;
