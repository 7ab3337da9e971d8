/**
 * The HTTP server: Jetty, with additions: a budget for all bodies, a deadline for each head and
 * body, and the API's own answers where Jetty refuses a request. It is independent of the API's
 * operations.
 */
@NullMarked
package dev.holdfast.http.server.internal;

import org.jspecify.annotations.NullMarked;
