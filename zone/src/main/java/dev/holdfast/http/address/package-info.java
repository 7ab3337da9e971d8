/** Network addresses in one form. */
@NullMarked
package dev.holdfast.http.address;

import org.jspecify.annotations.NullMarked;
