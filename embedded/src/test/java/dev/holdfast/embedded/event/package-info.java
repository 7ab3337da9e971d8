/** Events of a whole runtime on a disk, and their consumers. */
@NullMarked
package dev.holdfast.embedded.event;

import org.jspecify.annotations.NullMarked;
