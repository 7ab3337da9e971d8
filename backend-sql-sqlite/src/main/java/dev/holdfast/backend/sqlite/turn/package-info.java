/**
 * A turn of one object: its SQL statements and cursors, its keys and alarms, its migrations, and
 * its end.
 */
@NullMarked
package dev.holdfast.backend.sqlite.turn;

import org.jspecify.annotations.NullMarked;
