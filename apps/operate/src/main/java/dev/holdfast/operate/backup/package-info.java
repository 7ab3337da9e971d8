/** The verb that copies a data directory. */
@NullMarked
package dev.holdfast.operate.backup;

import org.jspecify.annotations.NullMarked;
