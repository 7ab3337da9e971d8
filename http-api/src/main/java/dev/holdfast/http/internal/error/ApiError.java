package dev.holdfast.http.internal.error;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the envelope's errors. Immutable.
 *
 * @param code 1000 or more
 * @param message the description of the error
 * @param pointer a JSON pointer to the member of the body that is wrong; null if none is
 * @param chain its causes
 * @param meta identifiers that help the client continue, by the name of what they identify; dotted
 *     names are nested
 */
public record ApiError(
    int code,
    String message,
    @Nullable String pointer,
    List<ApiError> chain,
    Map<String, String> meta) {

  /**
   * Creates a plain error.
   *
   * @param code 1000 or more
   * @param message the description of the error
   */
  public ApiError(int code, String message) {
    this(code, message, null, List.of(), Map.of());
  }

  /**
   * {@return this error with a place in the body}
   *
   * @param place a JSON pointer
   */
  public ApiError at(String place) {
    return new ApiError(code, message, place, chain, meta);
  }

  /**
   * {@return this error with a cause}
   *
   * @param cause the cause
   */
  public ApiError causedBy(ApiError cause) {
    return new ApiError(code, message, pointer, List.of(cause), meta);
  }

  /**
   * {@return this error with an identifier}
   *
   * @param name the name of what it identifies
   * @param id the identifier
   */
  public ApiError with(String name, String id) {
    return new ApiError(code, message, pointer, chain, Map.of(name, id));
  }
}
