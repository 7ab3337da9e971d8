/** Real processes, really killed. */
@NullMarked
package dev.holdfast.system.crash;

import org.jspecify.annotations.NullMarked;
