package dev.holdfast.http;

import dev.holdfast.http.internal.accounts.Credentials;
import dev.holdfast.http.internal.accounts.Secret;
import dev.holdfast.http.internal.reply.ApiError;
import dev.holdfast.http.internal.reply.ApiException;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.Grant;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Determines the grant of a request's credential. Thread-safe. */
final class Authenticator {

  private static final Pattern BEARER =
      Pattern.compile("(?i:bearer) +([A-Za-z0-9._~+/-]{8,200}=*) *");
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-]{16,128}");

  private final Accounts accounts;

  /**
   * Creates an authenticator.
   *
   * @param accounts has the credentials
   */
  Authenticator(Accounts accounts) {
    this.accounts = accounts;
  }

  /**
   * Returns the grant of a request.
   *
   * @param header returns the value of a header
   * @return the grant of its credential
   * @throws ApiException if there is none, or it is malformed or unknown
   */
  Grant authenticate(Function<String, Optional<String>> header) {
    Optional<String> authorization = header.apply("Authorization");
    if (authorization.isPresent()) {
      return byToken(authorization.get());
    }
    Optional<String> email = header.apply("X-Auth-Email");
    Optional<String> key = header.apply("X-Auth-Key");
    if (email.isEmpty() && key.isEmpty()) {
      throw new ApiException(
          400, 9106, "Missing X-Auth-Key, X-Auth-Email or Authorization headers");
    }
    if (key.isEmpty()) {
      throw new ApiException(400, 9107, "Missing X-Auth-Key header");
    }
    if (email.isEmpty()) {
      throw new ApiException(400, 9106, "Missing X-Auth-Email header");
    }
    return byKey(email.get(), key.get());
  }

  private Grant byToken(String authorization) {
    var bearer = BEARER.matcher(authorization);
    if (!bearer.matches()) {
      throw malformed(6111, "Authorization");
    }
    String token = bearer.group(1);
    String id = Secret.idOf(token);
    // Also looked up if it is malformed: the response time must not reveal the difference.
    return known(
        accounts.grantOfToken(id == null ? "" : id, Secret.hash(token)),
        new ApiError(9109, "Invalid access token"));
  }

  private Grant byKey(String email, String key) {
    if (!Credentials.isEmail(email)) {
      throw malformed(6102, "X-Auth-Email");
    }
    if (!KEY.matcher(key).matches()) {
      throw malformed(6103, "X-Auth-Key");
    }
    return known(
        accounts.grantOfKey(email, Secret.hash(key)),
        new ApiError(9103, "Unknown X-Auth-Key or X-Auth-Email"));
  }

  private static Grant known(@Nullable Grant grant, ApiError otherwise) {
    if (grant == null) {
      throw new ApiException(403, otherwise);
    }
    return grant;
  }

  private static ApiException malformed(int code, String header) {
    return new ApiException(
        400,
        new ApiError(6003, "Invalid request headers")
            .causedBy(new ApiError(code, "Invalid format for " + header + " header")));
  }
}
