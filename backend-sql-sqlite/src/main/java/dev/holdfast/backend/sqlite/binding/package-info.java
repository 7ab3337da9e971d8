/**
 * The only place that talks to the native SQLite library: connections and prepared statements, as
 * few as the backend needs. Another binding takes the place of this one behind {@link
 * dev.holdfast.backend.sqlite.binding.SqliteLibrary} and nothing else changes.
 *
 * <p>Not exported.
 */
@NullMarked
package dev.holdfast.backend.sqlite.binding;

import org.jspecify.annotations.NullMarked;
