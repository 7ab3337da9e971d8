package dev.holdfast.conformance.value;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsError;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsView;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The values that have no JSON form and are named instead, as the corresponding Java values. */
final class Specials {

  /** Host objects of the reference runtime that it can store; no Java program has one. */
  private static final Set<String> STORED_HOST_OBJECTS =
      Set.of("headers", "blob", "request", "nodeBuffer", "file", "cryptoKey");

  private Specials() {}

  static Object of(String name, int depth, JsError.Form errorForm) {
    return switch (name) {
      case "instance" -> object("x", 3L, "y", 4L);
      case "frozen" -> object("a", 1L, "b", new JsArray(List.of(1L)));
      case "getter" -> object("a", 42L, "b", 2L);
      case "getterInClass" -> object("b", 2L);
      case "nonEnumerable", "symbolKey" -> object("a", 1L);
      case "subclassArray" -> new JsArray(List.of(1L, 2L, 3L));
      case "subclassMap" -> new JsMap(Map.of("a", 1L));
      case "subclassError" -> subclassError(errorForm);
      case "lengthTracking" -> lengthTracking();
      case "deepArray" -> deepArray(depth);
      case "deepObject" -> deepObject(depth);
      case "slicedString" -> "56789abcdefghijklmnopqrst";
      default -> Foreign.of(name, STORED_HOST_OBJECTS.contains(name));
    };
  }

  private static JsObject object(Object... namesAndValues) {
    JsObject object = new JsObject();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }

  private static JsError subclassError(JsError.Form form) {
    JsError error =
        form == JsError.Form.PLAIN
            ? JsError.plain("MyError", "boom")
            : JsError.of("MyError", "boom");
    error.properties().put("stack", "MyError: boom\n    at oracle");
    error.properties().put("code", 7L);
    return error;
  }

  private static JsView lengthTracking() {
    JsBuffer buffer = JsBuffer.resizable(new byte[] {1, 2, 3, 4}, 8);
    return new JsView(JsView.Kind.UINT8, buffer, 0, 4, /* lengthTracking= */ true);
  }

  private static Object deepArray(int depth) {
    JsArray outermost = new JsArray();
    JsArray array = outermost;
    for (int i = 1; i < depth; i++) {
      JsArray inner = new JsArray();
      array.put(0, inner);
      array = inner;
    }
    return outermost;
  }

  private static Object deepObject(int depth) {
    JsObject outermost = new JsObject();
    JsObject object = outermost;
    for (int i = 1; i < depth; i++) {
      JsObject inner = new JsObject();
      object.put("a", inner);
      object = inner;
    }
    return outermost;
  }
}
