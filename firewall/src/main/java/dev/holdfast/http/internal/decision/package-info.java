/** Decides on requests with the compiled firewall of a zone. */
@NullMarked
package dev.holdfast.http.internal.decision;

import org.jspecify.annotations.NullMarked;
