/** The tokens of a SQL text, split as SQLite does it. */
@NullMarked
package dev.holdfast.backend.sqlite.words;

import org.jspecify.annotations.NullMarked;
