/**
 * The HTTP API, for use in an application: {@link dev.holdfast.http.HttpApi} handles requests,
 * {@link dev.holdfast.http.HttpApiServer} serves it, and {@link dev.holdfast.http.Operator} creates
 * zones and credentials.
 */
@NullMarked
package dev.holdfast.http;

import org.jspecify.annotations.NullMarked;
