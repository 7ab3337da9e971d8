package dev.holdfast.http.internal.reply;

import dev.holdfast.http.object.RefusedException;
import java.util.List;
import java.util.Map;

/** A request that is answered with an error; thrown before anything was written. */
public final class ApiException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient List<ApiError> errors;
  private final transient Map<String, String> headers;

  /**
   * Creates an exception.
   *
   * @param status the HTTP status
   * @param errors at least one
   */
  public ApiException(int status, ApiError... errors) {
    this(status, List.of(errors), Map.of());
  }

  /**
   * Creates an exception with one error.
   *
   * @param status the HTTP status
   * @param code the code of the error
   * @param message what is wrong
   */
  public ApiException(int status, int code, String message) {
    this(status, new ApiError(code, message));
  }

  private ApiException(int status, List<ApiError> errors, Map<String, String> headers) {
    // An answer, not a defect: the stack trace is never read, and filling it costs more than the
    // request.
    super(errors.getFirst().message(), null, false, false);
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }

  /** {@return the HTTP status} */
  public int status() {
    return status;
  }

  /**
   * {@return the same with headers for the answer}
   *
   * @param all by name
   */
  public ApiException withHeaders(Map<String, String> all) {
    return new ApiException(status, errors, Map.copyOf(all));
  }

  /** {@return headers for the answer, by name} */
  public Map<String, String> headers() {
    return headers;
  }

  /** {@return the errors} */
  public List<ApiError> errors() {
    return errors;
  }

  /**
   * {@return the error for what a zone has refused}
   *
   * @param refused the refusal
   */
  public static ApiException of(RefusedException refused) {
    int status =
        switch (refused.kind()) {
          case INVALID -> 400;
          case NOT_FOUND -> 404;
          case GONE -> 410;
        };
    List<ApiError> errors = refused.refusals().stream().map(ApiError::of).toList();
    return new ApiException(status, errors, Map.of());
  }

  /**
   * {@return the error for an unknown path}
   *
   * @param path the path
   */
  public static ApiException noRoute(String path) {
    String shown = path.length() <= 200 ? path : path.substring(0, 200) + "...";
    return new ApiException(
        404,
        new ApiError(
            7003, "Could not route to " + shown + ", perhaps your object identifier is invalid?"),
        new ApiError(7000, "No route for that URI"));
  }
}
