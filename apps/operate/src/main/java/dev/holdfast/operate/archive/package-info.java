/** The verb that changes an archive. */
@NullMarked
package dev.holdfast.operate.archive;

import org.jspecify.annotations.NullMarked;
