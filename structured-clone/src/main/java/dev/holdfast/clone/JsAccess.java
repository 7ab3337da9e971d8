package dev.holdfast.clone;

import dev.holdfast.clone.internal.ValueAccess;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** Gives the codec what the classes of this package keep from applications. */
final class JsAccess extends ValueAccess<JsArray, JsObject, JsError, JsRegExp> {

  @Override
  public JsArray emptyArrayLike(JsArray other) {
    return JsArray.emptyLike(other);
  }

  @Override
  public void append(JsArray array, long index, @Nullable Object element) {
    array.append(index, element);
  }

  @Override
  public void appendHole(JsArray array) {
    array.appendHole();
  }

  @Override
  public List<@Nullable Object> packed(JsArray array) {
    return array.packed();
  }

  @Override
  public SequencedMap<Long, @Nullable Object> scattered(JsArray array) {
    return array.scattered();
  }

  @Override
  public boolean numbersAsTheyAre(JsArray array) {
    return array.numbersAsTheyAre();
  }

  @Override
  public void setNumbersAsTheyAre(JsArray array) {
    array.setNumbersAsTheyAre();
  }

  @Override
  public JsObject emptyObjectLike(JsObject other) {
    return JsObject.emptyLike(other);
  }

  @Override
  public void addWideName(JsObject object, String name) {
    object.addWideName(name);
  }

  @Override
  public boolean isWideName(JsObject object, String name) {
    return object.isWideName(name);
  }

  @Override
  public JsError error(
      boolean plain, @Nullable Object name, @Nullable Object message, JsObject properties) {
    return new JsError(
        plain ? JsError.Form.PLAIN : JsError.Form.WITH_PROPERTIES, name, message, properties);
  }

  @Override
  public @Nullable Object name(JsError error) {
    return error.nameValue();
  }

  @Override
  public @Nullable Object message(JsError error) {
    return error.storedMessage();
  }

  @Override
  public JsRegExp regExp(Object source, String flags) {
    return JsRegExp.of(source, flags);
  }

  @Override
  public Object source(JsRegExp regExp) {
    return regExp.storedSource();
  }
}
