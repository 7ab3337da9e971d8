/** Opens a runtime in this process over a data directory: the entry point for applications. */
@NullMarked
package dev.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
