/**
 * How far back the history of a journal reaches: which segments are too old, or beyond the cap, how
 * they are removed, and the history without them.
 */
@NullMarked
package dev.holdfast.journal.retention;

import org.jspecify.annotations.NullMarked;
