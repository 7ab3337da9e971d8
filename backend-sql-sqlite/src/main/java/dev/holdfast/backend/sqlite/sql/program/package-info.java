/** The program that SQLite compiles from a statement, and what it may cost. */
@NullMarked
package dev.holdfast.backend.sqlite.sql.program;

import org.jspecify.annotations.NullMarked;
