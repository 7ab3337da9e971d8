/**
 * The journal of a directory or of a copy of a shard that no process has open: all that can be read
 * of it, whatever is damaged, and what is wrong with it. {@code docs/formats/journal.md} and {@code
 * docs/formats/damage.md} state what is checked. Nodes check what they adopt, and {@code verify}
 * checks for operators.
 */
@NullMarked
package dev.holdfast.journal.check;

import org.jspecify.annotations.NullMarked;
