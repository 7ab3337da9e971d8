package dev.holdfast.conformance.script;

import dev.holdfast.clone.JsUndefined;
import dev.holdfast.conformance.value.Shown;
import dev.holdfast.storage.StorageTransaction;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code txn}. */
final class TransactionTarget implements Target {

  private static final Set<String> METHODS =
      Set.of(
          "get",
          "put",
          "delete",
          "list",
          "getAlarm",
          "setAlarm",
          "deleteAlarm",
          "rollback",
          "deleteAll");

  private final StorageTransaction transaction;
  private final KeyValueTarget keyValues;

  TransactionTarget(StorageTransaction transaction) {
    this.transaction = transaction;
    this.keyValues = new KeyValueTarget("DurableObjectTransaction", KeyValueCalls.of(transaction));
  }

  @Override
  public @Nullable Object call(
      String method, List<@Nullable Object> arguments, @Nullable Closure closure) {
    return switch (method) {
      case "get" -> keyValues.get(arguments);
      case "put" -> keyValues.put(arguments);
      case "delete" -> keyValues.delete(arguments);
      case "list" -> keyValues.list(arguments);
      case "getAlarm" -> keyValues.getAlarm(arguments);
      case "setAlarm" -> keyValues.setAlarm(arguments);
      case "deleteAlarm" -> keyValues.deleteAlarm(arguments);
      case "rollback" -> {
        transaction.rollback();
        yield JsUndefined.UNDEFINED;
      }
      // Java's transaction has no such method; the reference's has one that always refuses.
      case "deleteAll" -> throw JsFailure.error("Cannot call deleteAll() within a transaction");
      default -> throw Target.noSuchMethod(method);
    };
  }

  @Override
  public @Nullable Object property(String name) {
    return METHODS.contains(name) ? Shown.object("function") : JsUndefined.UNDEFINED;
  }

  @Override
  public boolean isAsynchronous(String method) {
    return !method.equals("rollback");
  }
}
