/**
 * Restores objects to earlier states. The journal has every change with its undo; {@code
 * JournaledRecovery} takes requests and selects the changes to undo, {@code Moments} finds the
 * position of a bookmark or a time, and the storage backends undo.
 */
@NullMarked
package dev.holdfast.pitr;

import org.jspecify.annotations.NullMarked;
