/**
 * The tokens of a SQL text, split as SQLite does it, and what follows from tokens alone: the names
 * of hidden tables, the switches of a connection, and the refusal of a text.
 */
@NullMarked
package dev.holdfast.backend.sqlite.words;

import org.jspecify.annotations.NullMarked;
