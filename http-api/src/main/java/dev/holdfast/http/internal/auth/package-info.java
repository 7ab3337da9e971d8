/** Who a request is from and what it may do. */
@NullMarked
package dev.holdfast.http.internal.auth;

import org.jspecify.annotations.NullMarked;
