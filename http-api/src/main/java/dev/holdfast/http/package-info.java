/**
 * The HTTP API and how an application embeds it: {@link dev.holdfast.http.HttpApi} handles
 * requests, {@link dev.holdfast.http.HttpApiServer} serves it, {@link dev.holdfast.http.Operator}
 * makes zones and credentials.
 */
@NullMarked
package dev.holdfast.http;

import org.jspecify.annotations.NullMarked;
