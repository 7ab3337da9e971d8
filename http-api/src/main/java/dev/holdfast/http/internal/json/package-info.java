/** JSON as a tree, read within limits, and its members read with errors that point at them. */
@NullMarked
package dev.holdfast.http.internal.json;

import org.jspecify.annotations.NullMarked;
