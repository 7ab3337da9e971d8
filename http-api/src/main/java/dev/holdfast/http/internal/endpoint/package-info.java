/** The table of endpoints, and the router from paths to endpoints. */
@NullMarked
package dev.holdfast.http.internal.endpoint;

import org.jspecify.annotations.NullMarked;
