/**
 * The only code that calls the native SQLite library: connections and prepared statements, with
 * only the operations that the backend needs. Another binding can replace this one behind {@link
 * dev.holdfast.backend.sqlite.binding.SqliteLibrary} without other changes.
 *
 * <p>Not exported.
 */
@NullMarked
package dev.holdfast.backend.sqlite.binding;

import org.jspecify.annotations.NullMarked;
