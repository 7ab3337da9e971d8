/** JSON as a tree: read within limits; errors in members have the position of the member. */
@NullMarked
package dev.holdfast.http.internal.json;

import org.jspecify.annotations.NullMarked;
