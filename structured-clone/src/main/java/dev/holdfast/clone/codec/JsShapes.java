package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsBoxed;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsDomException;
import dev.holdfast.clone.JsError;
import dev.holdfast.clone.JsInvalidDate;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsRegExp;
import dev.holdfast.clone.JsSet;
import dev.holdfast.clone.JsString;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsValue;
import dev.holdfast.clone.JsView;
import dev.holdfast.clone.codec.bytes.ByteSink;
import dev.holdfast.clone.codec.bytes.HostTag;
import dev.holdfast.clone.codec.bytes.RegExpFlags;
import dev.holdfast.clone.codec.bytes.ViewTag;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.internal.ErrorNames;
import java.math.BigInteger;

/** How the {@link JsValue} types are written and copied, except the collections. */
final class JsShapes {

  static ClassShape create(Class<?> type) {
    if (type == JsObject.class) {
      return new JsCollectionShapes.ObjectShape();
    }
    if (type == JsArray.class) {
      return new JsCollectionShapes.ArrayShape();
    }
    if (type == JsMap.class) {
      return new CollectionShapes.MapShape();
    }
    return type == JsSet.class ? new CollectionShapes.SetShape() : new JsShape();
  }

  /** All other types; the value determines which one. */
  private static final class JsShape extends ClassShape {
    @Override
    void encode(Encoder out, Object value) {
      switch (value) {
        case JsUndefined _ -> out.out().tag(WireTag.UNDEFINED);
        case JsString text -> out.out().twoByteString(text.value());
        case JsInvalidDate date -> writeInvalidDate(out, date);
        case JsRegExp regExp -> writeRegExp(out, regExp);
        case JsBoxed boxed -> writeBoxed(out, boxed);
        case JsBuffer buffer -> writeBuffer(out, buffer);
        case JsView view -> writeView(out, view, view);
        case JsError error -> writeError(out, error);
        case JsDomException exception -> writeDomException(out, exception);
        default -> throw new IllegalArgumentException(value.getClass().toString());
      }
    }

    @Override
    Object copy(Copier copier, Object value) {
      return switch (value) {
        case JsBuffer buffer -> copyBuffer(copier, buffer);
        case JsView view -> copyView(copier, view);
        case JsError error -> copyError(copier, error);
        default -> value;
      };
    }
  }

  /** Writes a {@code String} or {@link JsString}. */
  private static void writeText(Encoder out, Object text) {
    if (text instanceof JsString wide) {
      out.out().twoByteString(wide.value());
    } else {
      out.out().string((String) text);
    }
  }

  private static void writeInvalidDate(Encoder out, JsInvalidDate date) {
    if (!out.writeReference(date)) {
      out.out().taggedDouble(WireTag.DATE, Double.NaN);
    }
  }

  private static void writeRegExp(Encoder out, JsRegExp regExp) {
    if (!out.writeReference(regExp)) {
      out.out().tag(WireTag.REG_EXP);
      writeText(out, StoredForm.VALUES.source(regExp));
      out.out().varint(RegExpFlags.bits(regExp.flags()));
    }
  }

  private static void writeBoxed(Encoder out, JsBoxed boxed) {
    if (out.writeReference(boxed)) {
      return;
    }
    switch (boxed.value()) {
      case Boolean truth -> out.out().tag(truth ? WireTag.TRUE_OBJECT : WireTag.FALSE_OBJECT);
      case Double number -> out.out().taggedDouble(WireTag.NUMBER_OBJECT, number);
      case BigInteger number -> out.out().bigInt(WireTag.BIG_INT_OBJECT, number);
      case Object text -> {
        out.out().tag(WireTag.STRING_OBJECT);
        out.write(text);
      }
    }
  }

  private static void writeBuffer(Encoder out, JsBuffer buffer) {
    if (!buffer.isResizable()) {
      out.writeBuffer(buffer.bytes());
    } else if (!out.writeReference(buffer.bytes())) {
      byte[] bytes = buffer.bytes();
      out.out().tag(WireTag.RESIZABLE_ARRAY_BUFFER);
      out.out().varint(bytes.length);
      out.out().varint((int) buffer.byteLengthMax());
      out.out().bytes(bytes, 0, bytes.length);
    }
  }

  /**
   * Writes a view after its buffer.
   *
   * @param identity the Java object that represents the view, for later references to it
   */
  static void writeView(Encoder out, JsView view, Object identity) {
    if (out.writeKnownReference(identity)) {
      return;
    }
    writeBuffer(out, view.buffer());
    out.writeReference(identity);
    ByteSink sink = out.out();
    sink.tag(WireTag.VIEW);
    sink.varint(ViewTag.of(view.kind()));
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
    out.out().tag(WireTag.HOST_OBJECT);
    out.out().varint(HostTag.NATIVE_ERROR);
    Object name = StoredForm.VALUES.name(error);
    int number = ErrorNames.number(name);
    out.out().varint(number);
    if (number == 0) {
      out.write(name);
    }
    Object message = StoredForm.VALUES.message(error);
    writeText(out, message == null ? "" : message);
    out.write(error.properties());
  }

  private static void writePlainError(Encoder out, JsError error) {
    ByteSink sink = out.out();
    sink.tag(WireTag.ERROR);
    int tag = ErrorNames.plainTag(error.name());
    if (tag != 0) {
      sink.varint(tag);
    }
    Object message = StoredForm.VALUES.message(error);
    if (message != null) {
      sink.varint('m');
      writeText(out, message);
    }
    Object stack = error.properties().get("stack");
    if (stack instanceof String || stack instanceof JsString) {
      sink.varint('s');
      writeText(out, stack);
    }
    if (error.properties().containsKey("cause")) {
      sink.varint('c');
      try {
        out.write(error.properties().get("cause"));
      } catch (CloneException e) {
        throw e.within(".cause");
      }
    }
    sink.varint('.');
  }

  private static void writeDomException(Encoder out, JsDomException exception) {
    if (!out.writeReference(exception)) {
      ByteSink sink = out.out();
      sink.tag(WireTag.HOST_OBJECT);
      sink.varint(HostTag.DOM_EXCEPTION);
      sink.lengthDelimited(exception.name());
      sink.lengthDelimited(exception.message());
      sink.lengthDelimited(exception.stack());
    }
  }

  /**
   * A buffer is identified by its bytes: a view, the buffer and the bytes themselves stay shared.
   */
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
    JsObject properties = StoredForm.VALUES.emptyObjectLike(original.properties());
    JsError copy =
        StoredForm.VALUES.error(
            original.form() == JsError.Form.PLAIN,
            copier.copy(StoredForm.VALUES.name(original)),
            StoredForm.VALUES.message(original),
            properties);
    copier.register(original, copy);
    copier.register(original.properties(), properties);
    JsCollectionShapes.copyProperties(copier, original.properties(), properties);
    return copy;
  }

  private JsShapes() {}
}
