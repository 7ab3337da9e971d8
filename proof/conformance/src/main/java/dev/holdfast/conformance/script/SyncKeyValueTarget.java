package dev.holdfast.conformance.script;

import static dev.holdfast.conformance.script.Target.argument;

import dev.holdfast.clone.JsUndefined;
import dev.holdfast.conformance.value.Shown;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.WriteOptions;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** {@code ctx.storage.kv}, the synchronous methods: all storage of this runtime is synchronous. */
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
          throw JsFailure.argument(
              "put", OWNER, arguments.size() + 1, arguments.isEmpty() ? "string" : "Value");
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

  @Override
  public @Nullable Object property(String name) {
    return switch (name) {
      case "get", "put", "delete", "list" -> Shown.object("function");
      default -> JsUndefined.UNDEFINED;
    };
  }

  private static String key(String method, List<@Nullable Object> arguments) {
    if (arguments.isEmpty()) {
      throw JsFailure.argument(method, OWNER, 1, "string");
    }
    return Conversions.text(arguments.getFirst());
  }

  private IteratorTarget list(@Nullable Object options) {
    Iterator<@Nullable Object> pairs =
        new LivePairs(storage, KeyValueTarget.listOptions(OWNER, options));
    return new IteratorTarget("ListIterator", pairs, /* cursor= */ null);
  }

  /** Moves from key to key, like the reference's iterator, which sees concurrent writes. */
  private static final class LivePairs implements Iterator<@Nullable Object> {

    private final ObjectStorage storage;
    private ListOptions rest;
    private boolean ended;

    LivePairs(ObjectStorage storage, ListOptions options) {
      this.storage = storage;
      this.rest = options;
    }

    private Map.@Nullable Entry<String, Object> peek() {
      return ended ? null : storage.list(rest.withLimit(1), Object.class).firstEntry();
    }

    @Override
    public boolean hasNext() {
      boolean hasMore = peek() != null;
      ended |= !hasMore;
      return hasMore;
    }

    @Override
    public Object next() {
      Map.Entry<String, Object> pair = peek();
      if (pair == null) {
        throw new NoSuchElementException();
      }
      String key = pair.getKey();
      ended = rest.limit() == 1;
      int left = rest.limit() == Integer.MAX_VALUE ? rest.limit() : Math.max(1, rest.limit() - 1);
      rest =
          rest.reverse()
              ? rest.withLimit(left).withEnd(key)
              : new ListOptions(null, key, rest.end(), rest.prefix(), false, left, rest.read());
      return ValueTarget.pair(Conversions.storedKey(key), pair.getValue());
    }
  }
}
