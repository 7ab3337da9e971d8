/** The verbs of the HTTP API: the server, and the operations of an operator. */
@NullMarked
package dev.holdfast.server;

import org.jspecify.annotations.NullMarked;
