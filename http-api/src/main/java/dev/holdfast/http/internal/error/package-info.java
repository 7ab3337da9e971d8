/** The errors of requests: codes and messages that clients know. */
@NullMarked
package dev.holdfast.http.internal.error;

import org.jspecify.annotations.NullMarked;
