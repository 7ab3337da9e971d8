/** Tests of the groups of a journal. */
@NullMarked
package dev.holdfast.journal.group;

import org.jspecify.annotations.NullMarked;
