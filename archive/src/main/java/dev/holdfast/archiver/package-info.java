/** The content of an archive, its writer in a runtime, and restores of data directories from it. */
@NullMarked
package dev.holdfast.archiver;

import org.jspecify.annotations.NullMarked;
