/**
 * A server for the API, on Jetty: {@link dev.holdfast.http.server.HttpApiServer}, with {@link
 * dev.holdfast.http.server.TlsKeys} for TLS and HTTP/2.
 */
@NullMarked
package dev.holdfast.http.server;

import org.jspecify.annotations.NullMarked;
