package dev.holdfast.examples.conformance.script;

import static dev.holdfast.examples.conformance.script.Target.argument;

import dev.holdfast.clone.JsUndefined;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.WriteOptions;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code ctx.storage.kv}, the synchronous methods: what our storage is anyway. */
final class SyncKeyValueTarget implements Target {

  private static final String OWNER = "SyncKvStorage";

  private final ObjectStorage storage;
  private final KeyValueCalls calls;

  SyncKeyValueTarget(ObjectStorage storage) {
    this.storage = storage;
    this.calls = KeyValueCalls.of(storage);
  }

  @Override
  public @Nullable Object call(
      String method, List<@Nullable Object> arguments, @Nullable Closure closure) {
    return switch (method) {
      case "get" -> calls.get(key(method, arguments), ReadOptions.DEFAULT);
      case "put" -> {
        if (arguments.size() < 2) {
          throw JsFailure.argument("put", OWNER, arguments.size() + 1, "string");
        }
        Object value = KeyValueTarget.storable(argument(arguments, 1));
        calls.put(key(method, arguments), value, WriteOptions.DEFAULT);
        yield JsUndefined.UNDEFINED;
      }
      case "delete" -> calls.delete(key(method, arguments), WriteOptions.DEFAULT);
      case "list" -> list(argument(arguments, 0));
      default -> throw Target.noSuchMethod(method);
    };
  }

  private static String key(String method, List<@Nullable Object> arguments) {
    if (arguments.isEmpty()) {
      throw JsFailure.argument(method, OWNER, 1, "string");
    }
    return Conversions.text(arguments.getFirst());
  }

  private IteratorTarget list(@Nullable Object options) {
    Iterator<Map.Entry<String, Object>> pairs =
        storage
            .list(KeyValueTarget.listOptions(OWNER, options), Object.class)
            .sequencedEntrySet()
            .iterator();
    Iterator<@Nullable Object> elements =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return pairs.hasNext();
          }

          @Override
          public Object next() {
            Map.Entry<String, Object> pair = pairs.next();
            return ValueTarget.pair(pair.getKey(), pair.getValue());
          }
        };
    return new IteratorTarget("ListIterator", elements, /* cursor= */ null);
  }
}
