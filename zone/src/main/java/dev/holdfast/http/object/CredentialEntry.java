package dev.holdfast.http.object;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A token or key without its secret, which is not stored. Immutable.
 *
 * @param isKey whether it is a key of an owner; otherwise a token
 * @param grant what it may do; its id is the public part of the token, or the owner of the key
 * @param expires the time from which it is refused; null if it never expires
 */
public record CredentialEntry(boolean isKey, Grant grant, @Nullable Instant expires) {}
