/**
 * Brings objects back to earlier states. The journal has every change with its undo; this module
 * decides which of them are undone, and the storage backends undo them.
 */
@NullMarked
package dev.holdfast.pitr;

import org.jspecify.annotations.NullMarked;
