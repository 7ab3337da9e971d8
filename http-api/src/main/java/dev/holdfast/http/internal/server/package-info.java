/**
 * The HTTP server: Jetty, and what it has not: a budget for all bodies, a deadline for each head
 * and body, and answers of ours where it refuses. It knows nothing of what is asked for.
 */
@NullMarked
package dev.holdfast.http.internal.server;

import org.jspecify.annotations.NullMarked;
