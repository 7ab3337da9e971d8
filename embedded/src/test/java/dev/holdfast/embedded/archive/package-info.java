/** The archive of a whole runtime, and restores from it. */
@NullMarked
package dev.holdfast.embedded.archive;

import org.jspecify.annotations.NullMarked;
