/** A request as an operation of a zone sees it: identifiers, query and body. */
@NullMarked
package dev.holdfast.http.internal.call;

import org.jspecify.annotations.NullMarked;
