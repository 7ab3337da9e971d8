package dev.holdfast.clone;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How the {@link JsValue} types are written and copied. */
final class JsShapes {

  static ClassShape create(Class<?> type) {
    return new JsShape();
  }

  /** All of them: which one is a matter of the value. */
  private static final class JsShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      write(out, (JsValue) value);
    }

    @Override
    Object copy(Copier copier, Object value) {
      return JsCopies.copy(copier, (JsValue) value);
    }
  }

  private static void write(Encoder out, JsValue value) {
    switch (value) {
      case JsUndefined _ -> out.out().tag(Tag.UNDEFINED);
      case JsString text -> out.out().twoByteString(text.value());
      case JsObject object -> writeObject(out, object);
      case JsArray array -> writeArray(out, array);
      case JsMap map -> out.writeMap(map);
      case JsSet set -> out.writeSet(set);
      case JsInvalidDate date -> {
        if (!out.writeReference(date)) {
          out.out().taggedDouble(Tag.DATE, Double.NaN);
        }
      }
      case JsRegExp regExp -> writeRegExp(out, regExp);
      case JsBoxed boxed -> writeBoxed(out, boxed);
      case JsBuffer buffer -> writeBuffer(out, buffer);
      case JsView view -> writeView(out, view, view);
      case JsError error -> writeError(out, error);
      case JsDomException exception -> writeDomException(out, exception);
    }
  }

  private static void writeObject(Encoder out, JsObject object) {
    if (out.writeReference(object)) {
      return;
    }
    out.enter();
    out.out().tag(Tag.OBJECT);
    writeIndexedFirst(out, object);
    out.out().tag(Tag.OBJECT_END);
    out.out().varint(object.size());
    out.leave();
  }

  private static void writeIndexedFirst(Encoder out, JsObject object) {
    List<String> indices = new ArrayList<>();
    for (String name : object.keySet()) {
      if (JsNumbers.arrayIndex(name) >= 0) {
        indices.add(name);
      }
    }
    indices.sort((a, b) -> Long.compare(JsNumbers.arrayIndex(a), JsNumbers.arrayIndex(b)));
    for (String index : indices) {
      out.writeLong(JsNumbers.arrayIndex(index));
      writeProperty(out, index, object.get(index));
    }
    for (Map.Entry<String, @Nullable Object> property : object.entrySet()) {
      String name = property.getKey();
      if (indices.isEmpty() || JsNumbers.arrayIndex(name) < 0) {
        out.out().string(name);
        writeProperty(out, name, property.getValue());
      }
    }
  }

  private static void writeProperty(Encoder out, String name, @Nullable Object value) {
    try {
      out.write(value);
    } catch (CloneException e) {
      throw e.within(Paths.property(name));
    }
  }

  private static void writeArray(Encoder out, JsArray array) {
    boolean holes = array.entryCount() < array.length();
    if (out.writeReference(array)) {
      return;
    }
    out.enter();
    if (array.isSparse() || holes || !array.scattered().isEmpty()) {
      writeSparse(out, array);
    } else {
      writeDense(out, array);
    }
    out.leave();
  }

  private static void writeDense(Encoder out, JsArray array) {
    out.out().tag(Tag.DENSE_ARRAY);
    out.out().varint((int) array.length());
    boolean asDoubles = !array.numbersAsTheyAre() && NumberArrays.areDoubles(array.packed());
    int index = 0;
    for (Object element : array.packed()) {
      out.writeElement(element, index++, asDoubles);
    }
    writeNamed(out, array);
    out.out().tag(Tag.DENSE_ARRAY_END);
    out.out().varint(array.properties().size());
    out.out().varint((int) array.length());
  }

  private static void writeSparse(Encoder out, JsArray array) {
    out.out().tag(Tag.SPARSE_ARRAY);
    out.out().varint((int) array.length());
    int index = 0;
    for (Object element : array.packed()) {
      out.writeLong(index);
      out.writeElement(element, index++, false);
    }
    array
        .scattered()
        .forEach(
            (at, element) -> {
              out.writeLong(at);
              out.writeElement(element, at, false);
            });
    writeNamed(out, array);
    out.out().tag(Tag.SPARSE_ARRAY_END);
    out.out().varint((int) (array.entryCount() + array.properties().size()));
    out.out().varint((int) array.length());
  }

  private static void writeNamed(Encoder out, JsArray array) {
    array
        .properties()
        .forEach(
            (name, value) -> {
              if (JsNumbers.arrayIndex(name) >= 0 || name.equals("length")) {
                throw new CloneException("an array cannot have a property " + name, JsArray.class)
                    .within(Paths.property(name));
              }
              out.out().string(name);
              writeProperty(out, name, value);
            });
  }

  private static void writeRegExp(Encoder out, JsRegExp regExp) {
    if (!out.writeReference(regExp)) {
      out.out().tag(Tag.REG_EXP);
      out.out().string(regExp.source());
      out.out().varint(regExp.bits());
    }
  }

  private static void writeBoxed(Encoder out, JsBoxed boxed) {
    if (out.writeReference(boxed)) {
      return;
    }
    switch (boxed.value()) {
      case Boolean truth -> out.out().tag(truth ? Tag.TRUE_OBJECT : Tag.FALSE_OBJECT);
      case Double number -> out.out().taggedDouble(Tag.NUMBER_OBJECT, number);
      case BigInteger number -> out.out().bigInt(Tag.BIG_INT_OBJECT, number);
      case Object text -> {
        out.out().tag(Tag.STRING_OBJECT);
        out.write(text);
      }
    }
  }

  private static void writeBuffer(Encoder out, JsBuffer buffer) {
    if (!buffer.isResizable()) {
      out.writeBuffer(buffer.bytes());
    } else if (!out.writeReference(buffer.bytes())) {
      byte[] bytes = buffer.bytes();
      out.out().tag(Tag.RESIZABLE_ARRAY_BUFFER);
      out.out().varint(bytes.length);
      out.out().varint((int) buffer.byteLengthMax());
      out.out().bytes(bytes, 0, bytes.length);
    }
  }

  /**
   * Writes a view after its buffer.
   *
   * @param identity the Java object that is the view, for later references to it
   */
  static void writeView(Encoder out, JsView view, Object identity) {
    if (out.writeKnownReference(identity)) {
      return;
    }
    writeBuffer(out, view.buffer());
    out.writeReference(identity);
    ByteSink sink = out.out();
    sink.tag(Tag.VIEW);
    sink.varint(view.kind().tag);
    sink.varint(view.byteOffset());
    sink.varint(view.lengthTracking() ? 0 : view.byteLength());
    sink.varint((view.lengthTracking() ? 1 : 0) | (view.buffer().isResizable() ? 2 : 0));
  }

  private static void writeError(Encoder out, JsError error) {
    if (out.writeReference(error)) {
      return;
    }
    out.enter();
    switch (error.form()) {
      case WITH_PROPERTIES -> writeErrorWithProperties(out, error);
      case PLAIN -> writePlainError(out, error);
    }
    out.leave();
  }

  private static void writeErrorWithProperties(Encoder out, JsError error) {
    out.out().tag(Tag.HOST_OBJECT);
    out.out().varint(HostTag.NATIVE_ERROR);
    out.out().varint(error.number());
    if (error.number() == 0) {
      out.write(error.nameValue());
    }
    out.out().string(error.message());
    out.write(error.properties());
  }

  private static void writePlainError(Encoder out, JsError error) {
    ByteSink sink = out.out();
    sink.tag(Tag.ERROR);
    if (error.plainTag() != 0) {
      sink.varint(error.plainTag());
    }
    if (error.ownMessage() != null) {
      sink.varint('m');
      sink.string(error.ownMessage());
    }
    if (error.properties().get("stack") instanceof String stack) {
      sink.varint('s');
      sink.string(stack);
    }
    if (error.properties().containsKey("cause")) {
      sink.varint('c');
      writeProperty(out, "cause", error.properties().get("cause"));
    }
    sink.varint('.');
  }

  private static void writeDomException(Encoder out, JsDomException exception) {
    if (!out.writeReference(exception)) {
      ByteSink sink = out.out();
      sink.tag(Tag.HOST_OBJECT);
      sink.varint(HostTag.DOM_EXCEPTION);
      sink.lengthDelimited(exception.name());
      sink.lengthDelimited(exception.message());
      sink.lengthDelimited(exception.stack());
    }
  }

  private JsShapes() {}
}
