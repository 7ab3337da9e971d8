/**
 * HTTP/1.1 over sockets, a virtual thread for each connection: strict in what it reads, bounded in
 * bytes, time and number. It knows nothing of what is asked for.
 */
@NullMarked
package dev.holdfast.http.internal.server;

import org.jspecify.annotations.NullMarked;
