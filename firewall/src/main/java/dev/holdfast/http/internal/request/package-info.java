/** Requests as rules see them: whose they are, and what their bodies say. */
@NullMarked
package dev.holdfast.http.internal.request;

import org.jspecify.annotations.NullMarked;
