package dev.holdfast.clone.codec;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsError;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsRegExp;
import dev.holdfast.clone.internal.ValueAccess;
import java.lang.invoke.MethodHandles;

/** The codec's access to the form in which values were stored. */
final class StoredForm {

  static final ValueAccess<JsArray, JsObject, JsError, JsRegExp> VALUES = access();

  /** The class of the type arguments is the only one that registers. */
  @SuppressWarnings("unchecked")
  private static ValueAccess<JsArray, JsObject, JsError, JsRegExp> access() {
    try {
      MethodHandles.lookup().ensureInitialized(JsObject.class);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("JsObject is public", e);
    }
    return (ValueAccess<JsArray, JsObject, JsError, JsRegExp>) ValueAccess.registered();
  }

  private StoredForm() {}
}
