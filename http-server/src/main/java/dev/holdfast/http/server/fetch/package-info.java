/** Fetches scripts whose URLs come from untrusted clients. */
@NullMarked
package dev.holdfast.http.server.fetch;

import org.jspecify.annotations.NullMarked;
