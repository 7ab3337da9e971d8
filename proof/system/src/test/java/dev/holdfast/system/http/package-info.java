/** The HTTP server as a process of its own. */
@NullMarked
package dev.holdfast.system.http;

import org.jspecify.annotations.NullMarked;
