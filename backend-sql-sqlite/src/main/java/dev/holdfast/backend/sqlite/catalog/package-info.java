/**
 * The directory of the objects and the index of their alarms, in a separate SQLite database; see
 * {@code docs/formats/catalog.md}.
 */
@NullMarked
package dev.holdfast.backend.sqlite.catalog;

import org.jspecify.annotations.NullMarked;
