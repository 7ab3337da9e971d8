/** Authentication and authorization of requests. */
@NullMarked
package dev.holdfast.http.internal.auth;

import org.jspecify.annotations.NullMarked;
