package dev.holdfast.conformance.script;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsSet;
import dev.holdfast.clone.JsUndefined;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The few methods of plain values and promises that recordings call. */
final class ValueTarget implements Target {

  private final @Nullable Object value;

  ValueTarget(@Nullable Object value) {
    this.value = value;
  }

  @Override
  public @Nullable Object call(
      String method, List<@Nullable Object> arguments, @Nullable Closure closure) throws Exception {
    Object argument = Target.argument(arguments, 0);
    if (value instanceof Promise promise && method.equals("then")) {
      return promise.result();
    }
    return switch (value) {
      case JsObject _ when method.equals("hasOwnProperty") ->
          own(Conversions.text(argument)) != JsUndefined.UNDEFINED;
      case JsMap map -> mapMethod(map, method, argument);
      case JsSet set when method.equals("has") -> set.contains(argument);
      case Collection<?> all when method.equals("values") -> iterator("Iterator", all);
      case null, default -> {
        if (method.equals("toString")) {
          yield Conversions.text(value);
        }
        throw Target.noSuchMethod(method);
      }
    };
  }

  private static @Nullable Object mapMethod(JsMap map, String method, @Nullable Object argument) {
    return switch (method) {
      case "get" -> map.containsKey(argument) ? map.get(argument) : JsUndefined.UNDEFINED;
      case "has" -> map.containsKey(argument);
      case "keys" -> iterator("Map Iterator", map.keySet());
      case "values" -> iterator("Map Iterator", map.values());
      case "entries" -> pairs(map);
      default -> throw Target.noSuchMethod(method);
    };
  }

  @Override
  public @Nullable Object property(String name) {
    return switch (value) {
      case JsMap map when name.equals("size") -> (long) map.size();
      case JsSet set when name.equals("size") -> (long) set.size();
      case String text when name.equals("length") -> (long) text.length();
      case null, default -> own(name);
    };
  }

  /** The elements of a value that can be iterated over. */
  static IteratorTarget iterate(@Nullable Object value) {
    return switch (value) {
      case JsMap map -> pairs(map);
      case Collection<?> all -> iterator("Iterator", all);
      case null, default -> throw JsFailure.typeError("object is not iterable");
    };
  }

  private @Nullable Object own(String name) {
    return switch (value) {
      case JsObject object when object.containsKey(name) -> object.get(name);
      case JsArray array when name.equals("length") -> array.length();
      case JsArray array when name.matches("[0-9]+") && array.has(Long.parseLong(name)) ->
          array.get(Integer.parseInt(name));
      case JsArray array when array.properties().containsKey(name) -> array.properties().get(name);
      case null, default -> JsUndefined.UNDEFINED;
    };
  }

  private static IteratorTarget iterator(String name, Collection<?> all) {
    return new IteratorTarget(name, new JsArray(all).iterator(), null);
  }

  private static IteratorTarget pairs(Map<?, ?> map) {
    JsArray pairs = new JsArray();
    map.forEach((key, value) -> pairs.add(pair(key, value)));
    return new IteratorTarget("Map Iterator", pairs.iterator(), null);
  }

  static JsArray pair(@Nullable Object key, @Nullable Object value) {
    JsArray pair = new JsArray();
    pair.add(key);
    pair.add(value);
    return pair;
  }
}
