package dev.holdfast.conformance.script;

import static dev.holdfast.conformance.script.Target.argument;

import dev.holdfast.ObjectContext;
import dev.holdfast.clone.JsUndefined;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code ctx}. */
final class ContextTarget implements Target {

  private final ObjectContext context;

  ContextTarget(ObjectContext context) {
    this.context = context;
  }

  @Override
  public @Nullable Object call(
      String method, List<@Nullable Object> arguments, @Nullable Closure closure) {
    Object first = argument(arguments, 0);
    return switch (method) {
      case "abort" ->
          throw context.abort(first == JsUndefined.UNDEFINED ? null : Conversions.text(first));
      case "blockConcurrencyWhile" -> {
        if (closure == null) {
          throw JsFailure.argument(method, "DurableObjectState", 1, "function");
        }
        yield context.blockConcurrencyWhile(() -> closure.run(null, /* synchronous= */ false));
      }
      default -> throw Target.noSuchMethod(method);
    };
  }

  @Override
  public boolean isAsynchronous(String method) {
    return !method.equals("abort");
  }
}
