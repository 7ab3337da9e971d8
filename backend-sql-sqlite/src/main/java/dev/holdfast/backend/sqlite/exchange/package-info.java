/** Objects as SQLite files of their own: export and import. */
@NullMarked
package dev.holdfast.backend.sqlite.exchange;

import org.jspecify.annotations.NullMarked;
