/** Events of a whole runtime on a disk, and those who consume them. */
@NullMarked
package dev.holdfast.embedded.event;

import org.jspecify.annotations.NullMarked;
