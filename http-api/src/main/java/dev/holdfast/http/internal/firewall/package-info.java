/** FilterTable and firewall rules of a zone, and which rule decides for a request. */
@NullMarked
package dev.holdfast.http.internal.firewall;

import org.jspecify.annotations.NullMarked;
