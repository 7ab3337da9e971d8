package dev.holdfast.conformance.script;

import dev.holdfast.clone.JsUndefined;
import dev.holdfast.storage.ObjectStorage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code ctx.storage.sql}. */
final class SqlTarget implements Target {

  private final ObjectStorage storage;

  SqlTarget(ObjectStorage storage) {
    this.storage = storage;
  }

  @Override
  public @Nullable Object call(
      String method, List<@Nullable Object> arguments, @Nullable Closure closure) {
    if (!method.equals("exec")) {
      throw Target.noSuchMethod(method);
    }
    if (arguments.isEmpty()) {
      throw JsFailure.argument("exec", "SqlStorage", 1, "string");
    }
    @Nullable Object[] bindings =
        arguments.stream().skip(1).map(Conversions::binding).toArray(Object[]::new);
    return new CursorTarget(storage.sql().exec(Conversions.text(arguments.getFirst()), bindings));
  }

  @Override
  public @Nullable Object property(String name) {
    return name.equals("databaseSize") ? storage.sql().databaseSize() : JsUndefined.UNDEFINED;
  }
}
