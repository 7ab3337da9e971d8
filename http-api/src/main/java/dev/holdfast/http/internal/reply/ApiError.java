package dev.holdfast.http.internal.reply;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.http.object.RefusalDetail;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the envelope's errors, with the members that clients read. Immutable.
 *
 * @param code 1000 or more
 * @param message the description of the error
 * @param errorChain its causes
 * @param source the place of the mistake; null if there is none
 * @param meta identifiers that help the client continue, by the name of what they identify
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ApiError(
    int code,
    String message,
    List<ApiError> errorChain,
    @Nullable Source source,
    Map<String, Object> meta) {

  /**
   * The place of a mistake.
   *
   * @param pointer a JSON pointer to the member of the body that is wrong
   */
  public record Source(String pointer) {}

  /**
   * Creates a plain error.
   *
   * @param code 1000 or more
   * @param message the description of the error
   */
  public ApiError(int code, String message) {
    this(code, message, List.of(), null, Map.of());
  }

  /**
   * {@return the error for a reason of a zone}
   *
   * @param refusal the reason
   */
  public static ApiError of(RefusalDetail refusal) {
    Object id = refusal.aboutId();
    Map<String, Object> meta =
        refusal.aboutId().isEmpty()
            ? Map.of()
            : refusal.about().isEmpty()
                ? Map.of("id", id)
                : Map.of(refusal.about(), Map.of("id", id));
    Source source = refusal.place().isEmpty() ? null : new Source(refusal.place());
    return new ApiError(refusal.code(), refusal.message(), List.of(), source, meta);
  }

  /**
   * {@return this error with a cause}
   *
   * @param cause the cause
   */
  public ApiError causedBy(ApiError cause) {
    return new ApiError(code, message, List.of(cause), source, meta);
  }
}
