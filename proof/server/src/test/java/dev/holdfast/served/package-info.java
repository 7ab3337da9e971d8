/** The HTTP server as a process of its own. */
@NullMarked
package dev.holdfast.served;

import org.jspecify.annotations.NullMarked;
