/**
 * Restores objects to earlier states. The journal has every change with its undo; this module
 * selects the changes to undo, and the storage backends undo them.
 */
@NullMarked
package dev.holdfast.pitr;

import org.jspecify.annotations.NullMarked;
