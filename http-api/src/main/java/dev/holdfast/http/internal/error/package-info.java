/** What went wrong with a request, as codes and messages that clients know. */
@NullMarked
package dev.holdfast.http.internal.error;

import org.jspecify.annotations.NullMarked;
