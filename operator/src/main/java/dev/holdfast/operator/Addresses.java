package dev.holdfast.operator;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.inspect.Inspection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the objects that requests name. Thread-safe. */
final class Addresses {

  private static final Pattern ID = Pattern.compile("[0-9a-fA-F]{64}");

  private final ObjectRuntime runtime;
  private final Inspection inspection;

  Addresses(ObjectRuntime runtime, Inspection inspection) {
    this.runtime = runtime;
    this.inspection = inspection;
  }

  /** {@return the namespace of a request, or all if it names none} */
  List<String> namespaces(OperatorRequest request) {
    String named = request.textOrNull("namespace");
    if (named == null) {
      return List.copyOf(inspection.namespaces().keySet());
    }
    if (!inspection.namespaces().containsKey(named)) {
      throw new OperatorException(
          Reason.FAILED,
          "There is no namespace " + named + "; there are " + inspection.namespaces().keySet());
    }
    return List.of(named);
  }

  /** {@return the object of a request, which need not exist} */
  ObjectKey object(OperatorRequest request) {
    String namespace = request.text("namespace");
    namespaces(request);
    return object(namespace, request.text("object"));
  }

  /** {@return an object by its name or its id, which need not exist} */
  ObjectKey object(String namespace, String object) {
    if (ID.matcher(object).matches()) {
      try {
        return inspection.withId(namespace, object);
      } catch (InvalidObjectIdException e) {
        // It may be a name of 64 digits.
        ObjectKey named = inspection.named(namespace, object);
        if (exists(named)) {
          return named;
        }
        throw e;
      }
    }
    return inspection.named(namespace, object);
  }

  /** {@return the object of a request, which exists} */
  ObjectKey existing(OperatorRequest request) {
    ObjectKey key = object(request);
    if (!exists(key)) {
      throw new OperatorException(
          Reason.FAILED,
          "There is no object "
              + request.text("object")
              + " in the namespace "
              + key.namespace()
              + ": it was never written, or was deleted.");
    }
    return key;
  }

  boolean exists(ObjectKey key) {
    return runtime.admin().exists(key.namespace(), key.id());
  }

  /** {@return the beginning of an answer about an object} */
  static Map<String, @Nullable Object> of(ObjectKey key) {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("namespace", key.namespace());
    answer.put("id", key.id().toString());
    answer.put("name", key.id().name().orElse(null));
    return answer;
  }
}
