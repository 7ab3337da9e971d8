/** Objects as separate SQLite files: export and import. */
@NullMarked
package dev.holdfast.backend.sqlite.exchange;

import org.jspecify.annotations.NullMarked;
