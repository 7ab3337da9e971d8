/** Files of a data directory that were damaged, removed or exchanged: the table of damage.md. */
@NullMarked
package dev.holdfast.system.damage;

import org.jspecify.annotations.NullMarked;
