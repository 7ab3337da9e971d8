/** The table of endpoints and the way from a path to one of them. */
@NullMarked
package dev.holdfast.http.internal.endpoint;

import org.jspecify.annotations.NullMarked;
