package dev.holdfast.clone;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Copies of the {@link JsValue} types. */
final class JsCopies {

  static Object copy(Copier copier, JsValue value) {
    return switch (value) {
      case JsUndefined _, JsString _, JsInvalidDate _, JsRegExp _, JsBoxed _, JsDomException _ ->
          value;
      case JsObject object -> copyObject(copier, object);
      case JsArray array -> copyArray(copier, array);
      case JsMap map -> copyMap(copier, map);
      case JsSet set -> copySet(copier, set);
      case JsBuffer buffer -> copyBuffer(copier, buffer);
      case JsView view -> copyView(copier, view);
      case JsError error -> copyError(copier, error);
    };
  }

  private static Object copyObject(Copier copier, JsObject original) {
    Object known = copier.known(original);
    if (known != null) {
      return known;
    }
    JsObject copy = new JsObject();
    copier.note(original, copy);
    copyProperties(copier, original, copy);
    return copy;
  }

  private static void copyProperties(
      Copier copier, Map<String, @Nullable Object> from, Map<String, @Nullable Object> to) {
    copier.enter();
    from.forEach((name, value) -> to.put(name, copyProperty(copier, name, value)));
    copier.leave();
  }

  private static @Nullable Object copyProperty(Copier copier, String name, @Nullable Object value) {
    try {
      return copier.copy(value);
    } catch (CloneException e) {
      throw e.within(Paths.property(name));
    }
  }

  private static Object copyArray(Copier copier, JsArray original) {
    Object known = copier.known(original);
    if (known != null) {
      return known;
    }
    JsArray copy = JsArray.emptyLike(original);
    copier.note(original, copy);
    copier.enter();
    long index = 0;
    for (Object element : original.packed()) {
      copy.append(index, copier.copyAt(element, index));
      index++;
    }
    original.scattered().forEach((at, element) -> copy.append(at, copier.copyAt(element, at)));
    copier.leave();
    copyProperties(copier, original.properties(), copy.properties());
    return copy;
  }

  private static Object copyMap(Copier copier, JsMap original) {
    Object known = copier.known(original);
    if (known != null) {
      return known;
    }
    JsMap copy = new JsMap();
    copier.note(original, copy);
    copier.enter();
    original.forEach((key, value) -> copy.put(copier.copy(key), copier.copyValue(value, key)));
    copier.leave();
    return copy;
  }

  private static Object copySet(Copier copier, JsSet original) {
    Object known = copier.known(original);
    if (known != null) {
      return known;
    }
    JsSet copy = new JsSet();
    copier.note(original, copy);
    copier.enter();
    long index = 0;
    for (Object element : original) {
      copy.add(copier.copyAt(element, index++));
    }
    copier.leave();
    return copy;
  }

  /** A buffer is its bytes: a view, the buffer and the bytes themselves go on sharing them. */
  private static JsBuffer copyBuffer(Copier copier, JsBuffer original) {
    byte[] bytes = (byte[]) copier.copyOnce(original.bytes(), b -> ((byte[]) b).clone());
    return original.isResizable()
        ? JsBuffer.resizable(bytes, original.byteLengthMax())
        : JsBuffer.fixed(bytes);
  }

  private static Object copyView(Copier copier, JsView original) {
    return copier.copyOnce(
        original,
        value -> {
          JsView view = (JsView) value;
          return new JsView(
              view.kind(),
              copyBuffer(copier, view.buffer()),
              view.byteOffset(),
              view.byteLength(),
              view.lengthTracking());
        });
  }

  private static Object copyError(Copier copier, JsError original) {
    Object known = copier.known(original);
    if (known != null) {
      return known;
    }
    JsObject properties = new JsObject();
    JsError copy =
        new JsError(
            original.form(), copier.copy(original.nameValue()), original.ownMessage(), properties);
    copier.note(original, copy);
    copier.note(original.properties(), properties);
    copyProperties(copier, original.properties(), properties);
    return copy;
  }

  private JsCopies() {}
}
