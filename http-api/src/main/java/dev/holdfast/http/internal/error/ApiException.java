package dev.holdfast.http.internal.error;

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
   * {@return the error for a body that is not the expected JSON}
   *
   * @param reason the reason
   * @param pointer the position
   */
  public static ApiException invalidJson(String reason, String pointer) {
    ApiError error = new ApiError(10002, "invalid JSON: " + reason);
    return new ApiException(400, pointer.isEmpty() ? error : error.at(pointer));
  }

  /**
   * {@return the error for a member of a body that is wrong}
   *
   * @param code 1000 or more
   * @param message the description of the error
   * @param pointer the position of the member
   */
  public static ApiException wrong(int code, String message, String pointer) {
    return new ApiException(400, new ApiError(code, message).at(pointer));
  }

  /**
   * {@return the error for a query parameter that is out of its range}
   *
   * @param name the parameter
   * @param rule what it must be
   */
  public static ApiException badParameter(String name, String rule) {
    return new ApiException(400, 10004, name + " must be " + rule);
  }

  /**
   * {@return the error for an item that does not exist}
   *
   * @param message names the item
   */
  public static ApiException notFound(String message) {
    return new ApiException(404, 10001, message);
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
