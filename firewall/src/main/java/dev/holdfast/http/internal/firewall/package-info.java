/** Filters and firewall rules of a zone. */
@NullMarked
package dev.holdfast.http.internal.firewall;

import org.jspecify.annotations.NullMarked;
