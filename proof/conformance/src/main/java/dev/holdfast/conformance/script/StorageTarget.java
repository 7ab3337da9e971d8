package dev.holdfast.conformance.script;

import static dev.holdfast.conformance.script.Target.argument;

import dev.holdfast.ObjectContext;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.conformance.value.Shown;
import dev.holdfast.storage.ObjectStorage;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code ctx.storage}. */
final class StorageTarget implements Target {

  private static final String OWNER = "DurableObjectStorage";

  private static final Set<String> METHODS =
      Set.of(
          "get",
          "put",
          "delete",
          "list",
          "getAlarm",
          "setAlarm",
          "deleteAlarm",
          "deleteAll",
          "sync",
          "transaction",
          "transactionSync",
          "getCurrentBookmark",
          "getBookmarkForTime",
          "onNextSessionRestoreBookmark");

  private final ObjectStorage storage;
  private final KeyValueTarget keyValues;

  StorageTarget(ObjectContext context) {
    this.storage = context.storage();
    this.keyValues = new KeyValueTarget(OWNER, KeyValueCalls.of(storage));
  }

  @Override
  public @Nullable Object call(
      String method, List<@Nullable Object> arguments, @Nullable Closure closure) throws Exception {
    return switch (method) {
      case "get" -> keyValues.get(arguments);
      case "put" -> keyValues.put(arguments);
      case "delete" -> keyValues.delete(arguments);
      case "list" -> keyValues.list(arguments);
      case "getAlarm" -> keyValues.getAlarm(arguments);
      case "setAlarm" -> keyValues.setAlarm(arguments);
      case "deleteAlarm" -> keyValues.deleteAlarm(arguments);
      case "deleteAll" -> {
        storage.deleteAll(
            keyValues.writeOptions("deleteAll", 1, "PutOptions", argument(arguments, 0)));
        yield JsUndefined.UNDEFINED;
      }
      case "sync" -> {
        storage.sync();
        yield JsUndefined.UNDEFINED;
      }
      case "getCurrentBookmark" -> storage.getCurrentBookmark();
      case "getBookmarkForTime" ->
          storage.getBookmarkForTime(Conversions.time(method, OWNER, argument(arguments, 0)));
      case "onNextSessionRestoreBookmark" -> {
        if (arguments.isEmpty()) {
          throw JsFailure.argument(method, OWNER, 1, "string");
        }
        yield storage.onNextSessionRestoreBookmark(Conversions.text(arguments.getFirst()));
      }
      case "transaction" -> transaction(closure);
      case "transactionSync" -> transactionSync(closure);
      default -> throw Target.noSuchMethod(method);
    };
  }

  private @Nullable Object transaction(@Nullable Closure closure) throws Exception {
    if (closure == null) {
      throw JsFailure.argument("transaction", OWNER, 1, "function");
    }
    return storage.<@Nullable Object, Exception>transaction(
        transaction -> closure.run(new TransactionTarget(transaction), /* synchronous= */ false));
  }

  private @Nullable Object transactionSync(@Nullable Closure closure) throws Exception {
    if (closure == null) {
      throw JsFailure.argument("transactionSync", OWNER, 1, "function");
    }
    return storage.<@Nullable Object, Exception>transactionSync(
        () -> closure.run(null, /* synchronous= */ true));
  }

  @Override
  public @Nullable Object property(String name) {
    return switch (name) {
      case "sql" -> {
        storage.sql().databaseSize();
        yield Shown.object("SqlStorage");
      }
      case "kv" -> Shown.object("SyncKvStorage");
      default -> METHODS.contains(name) ? Shown.object("function") : JsUndefined.UNDEFINED;
    };
  }

  @Override
  public boolean isAsynchronous(String method) {
    return !method.equals("transactionSync");
  }
}
