/** The HTTP API behind the launcher: the server, and what an operator does beside it. */
@NullMarked
package dev.holdfast.server;

import org.jspecify.annotations.NullMarked;
