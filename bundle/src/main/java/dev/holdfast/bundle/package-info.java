/** Opens a runtime with the journal and the SQLite backend wired. */
@NullMarked
package dev.holdfast.bundle;

import org.jspecify.annotations.NullMarked;
