/** The only place that talks to the native SQLite library. */
@NullMarked
package dev.holdfast.backend.sqlite.binding;

import org.jspecify.annotations.NullMarked;
