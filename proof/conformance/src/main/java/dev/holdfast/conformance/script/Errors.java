package dev.holdfast.conformance.script;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectException;
import dev.holdfast.clone.CloneFormatException;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.errors.UncopyableValueException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Converts exceptions of the runtime to JavaScript errors: by kind and message. */
public final class Errors {

  private Errors() {}

  /**
   * Converts an exception.
   *
   * @param failure the exception
   * @return its name and message in JavaScript
   */
  public static ObjectNode describe(Throwable failure) {
    ObjectNode error = JsonNodeFactory.instance.objectNode();
    error.put("name", name(failure));
    error.put("message", message(failure));
    return error;
  }

  /**
   * Converts the failure of a whole request.
   *
   * @param failure the exception that the caller received
   * @return the same, and whether the object was reset
   */
  public static ObjectNode describeForCaller(Throwable failure) {
    if (!(failure instanceof InstanceResetException reset)) {
      return describe(failure);
    }
    // The reference reports the reason of the reset; in this runtime it is the cause.
    Throwable cause = reset.getCause();
    return describe(cause == null ? reset : cause).put("durableObjectReset", true);
  }

  private static String name(Throwable failure) {
    return switch (failure) {
      case JsFailure js -> js.name();
      case StorageLimitException _ -> "RangeError";
      case IllegalArgumentException _ -> "TypeError";
      case UncopyableValueException unreadable
          when unreadable.getCause() instanceof CloneFormatException ->
          "Error";
      case UncopyableValueException deep
          when String.valueOf(deep.getMessage()).contains("nested") ->
          "RangeError";
      case UncopyableValueException _ -> "DataCloneError";
      default -> "Error";
    };
  }

  /**
   * Texts of the reference after which this runtime says what to do. The rest is not compared; the
   * test of the messages of mistakes has it.
   */
  private static final Pattern FOLLOWED_BY_ADVICE =
      Pattern.compile(
          "(Wrong number of parameter bindings for SQL query\\."
              + "|not authorized: SQLITE_(?:AUTH|ERROR)"
              + "|[^\\n]*: SQLITE_[A-Z]+(?: \\(extended: SQLITE_[A-Z_]+\\))?(?=\\. )"
              + "|Expected exactly one result from SQL query, but got (?:no|multiple) results\\."
              + "|List limit must be positive\\."
              + "|list\\(\\) cannot be called with both start and startAfter values\\."
              + "|(?:Keys|Values) cannot be larger than \\d+ bytes\\. A \\w+ of size \\d+ was"
              + " provided\\."
              + "|Cannot call deleteAll\\(\\) within a transaction"
              + "|Maximum number of key value pairs is \\d+\\. \\d+ pairs were provided\\.).*",
          Pattern.DOTALL);

  /** The runtime appends the object to each message. */
  private static String message(Throwable failure) {
    String message =
        failure instanceof ObjectException object
            ? object.withoutObject()
            : String.valueOf(failure.getMessage());
    Matcher advised = FOLLOWED_BY_ADVICE.matcher(message);
    if (advised.matches()) {
      return advised.group(1);
    }
    return message;
  }
}
