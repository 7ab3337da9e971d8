/** Opens a runtime in this process over a data directory: where an application begins. */
@NullMarked
package dev.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
