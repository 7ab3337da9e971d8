package dev.holdfast.conformance.script;

import dev.holdfast.clone.JsUndefined;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A JavaScript object that operations call: the storage, a transaction, a cursor. */
interface Target {

  /**
   * Calls a method.
   *
   * @param method its name
   * @param arguments the arguments as given
   * @param closure the closure that is the first argument; null for none
   * @return the result, a promise already awaited
   * @throws Exception if the method or the closure throws
   */
  @Nullable Object call(String method, List<@Nullable Object> arguments, @Nullable Closure closure)
      throws Exception;

  /** Reads a property. */
  default @Nullable Object property(String name) {
    return JsUndefined.UNDEFINED;
  }

  /** Returns whether a method returns a promise. */
  default boolean isAsynchronous(String method) {
    return false;
  }

  static @Nullable Object argument(List<@Nullable Object> arguments, int index) {
    return index < arguments.size() ? arguments.get(index) : JsUndefined.UNDEFINED;
  }

  static JsFailure noSuchMethod(String method) {
    return JsFailure.typeError("not a function: " + method);
  }
}
