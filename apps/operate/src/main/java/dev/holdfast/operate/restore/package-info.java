/** The verb {@code restore}: makes a data directory from an archive. */
@NullMarked
package dev.holdfast.operate.restore;

import org.jspecify.annotations.NullMarked;
