/** The object of a zone: one operation, one turn. */
@NullMarked
package dev.holdfast.http.internal.zone;

import org.jspecify.annotations.NullMarked;
