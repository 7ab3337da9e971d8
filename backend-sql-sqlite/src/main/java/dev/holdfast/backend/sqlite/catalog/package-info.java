/**
 * The directory of the objects and the index of their alarms, in a SQLite database of its own; see
 * {@code docs/formats/catalog.md}.
 */
@NullMarked
package dev.holdfast.backend.sqlite.catalog;

import org.jspecify.annotations.NullMarked;
