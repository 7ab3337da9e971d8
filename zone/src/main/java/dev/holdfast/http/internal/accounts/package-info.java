/** The accounts as an object, the secrets of tokens and keys, and the zones by their hosts. */
@NullMarked
package dev.holdfast.http.internal.accounts;

import org.jspecify.annotations.NullMarked;
