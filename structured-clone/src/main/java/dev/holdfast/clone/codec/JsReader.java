package dev.holdfast.clone.codec;

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
import dev.holdfast.clone.JsView;
import dev.holdfast.clone.codec.bytes.ByteSource;
import dev.holdfast.clone.codec.bytes.HostTag;
import dev.holdfast.clone.codec.bytes.JsNumbers;
import dev.holdfast.clone.codec.bytes.NumberArrays;
import dev.holdfast.clone.codec.bytes.RegExpFlags;
import dev.holdfast.clone.codec.bytes.ViewTag;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.internal.CloneBounds;
import dev.holdfast.clone.internal.ErrorNames;
import dev.holdfast.clone.internal.Latin1;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads values without a type: the JavaScript side of the mapping table, in code. */
final class JsReader {

  private static final String PROPERTIES = "properties";

  /** Reads any value that is not a collection. */
  static @Nullable Object readOther(Decoder decoder, int tag) {
    ByteSource in = decoder.in();
    return switch (tag) {
      case WireTag.NULL -> null;
      case WireTag.UNDEFINED -> JsUndefined.UNDEFINED;
      case WireTag.TRUE -> true;
      case WireTag.FALSE -> false;
      case WireTag.INT32 -> (long) in.int32();
      case WireTag.UINT32 -> Integer.toUnsignedLong(in.varint());
      case WireTag.DOUBLE -> number(in.float64());
      case WireTag.BIG_INT -> in.bigInt();
      case WireTag.ONE_BYTE_STRING -> in.oneByteString();
      case WireTag.TWO_BYTE_STRING -> twoByteString(decoder);
      case WireTag.UTF8_STRING -> in.utf8String();
      case WireTag.REFERENCE -> decoder.reference();
      case WireTag.DATE -> decoder.add(date(in.float64()));
      case WireTag.ARRAY_BUFFER, WireTag.IMMUTABLE_ARRAY_BUFFER ->
          decoder.add(in.bytes(in.length()));
      case WireTag.RESIZABLE_ARRAY_BUFFER -> decoder.add(readResizableBuffer(decoder));
      case WireTag.TRUE_OBJECT -> decoder.add(new JsBoxed(true));
      case WireTag.FALSE_OBJECT -> decoder.add(new JsBoxed(false));
      case WireTag.NUMBER_OBJECT -> decoder.add(new JsBoxed(in.float64()));
      case WireTag.BIG_INT_OBJECT -> decoder.add(new JsBoxed(in.bigInt()));
      case WireTag.STRING_OBJECT -> decoder.add(new JsBoxed(readString(decoder)));
      case WireTag.REG_EXP -> decoder.add(readRegExp(decoder));
      case WireTag.ERROR -> readPlainError(decoder);
      case WireTag.HOST_OBJECT -> readHostObject(decoder);
      default -> throw in.fault("unknown tag 0x" + Integer.toHexString(tag));
    };
  }

  /** Converts a double to a long if a long would have been written with the same bytes. */
  private static Object number(double value) {
    return JsNumbers.isLargeInteger(value) ? (Object) (long) value : (Object) value;
  }

  private static Object twoByteString(Decoder decoder) {
    String text = decoder.in().twoByteString();
    return decoder.isExact() && Latin1.covers(text) ? new JsString(text) : text;
  }

  static Object date(double epochMillis) {
    // Also false for NaN.
    return Math.abs(epochMillis) <= CloneBounds.DATE_MILLIS_MAX
        ? Instant.ofEpochMilli((long) epochMillis)
        : new JsInvalidDate();
  }

  /** Reads a string where only a string is allowed; returns {@code String} or {@link JsString}. */
  private static Object readString(Decoder decoder) {
    int tag = decoder.in().tag();
    return switch (tag) {
      case WireTag.ONE_BYTE_STRING -> decoder.in().oneByteString();
      case WireTag.TWO_BYTE_STRING -> twoByteString(decoder);
      case WireTag.UTF8_STRING -> decoder.in().utf8String();
      default -> throw decoder.in().fault(WireTag.name(tag) + " where a string must be");
    };
  }

  static JsObject readProperties(Decoder decoder, JsObject object) {
    decoder.enter();
    int properties = 0;
    while (decoder.in().peek() != WireTag.OBJECT_END) {
      String name = decoder.readName(object);
      Object value = decoder.read(decoder.in().tag());
      if (object.containsKey(name)) {
        throw decoder.in().fault("property " + name + " twice");
      }
      object.put(name, value);
      properties++;
    }
    decoder.in().skip(WireTag.OBJECT_END);
    decoder.expectCount(properties, PROPERTIES);
    decoder.leave();
    return object;
  }

  static Object readDenseArray(Decoder decoder) {
    ByteSource in = decoder.in();
    // An element takes at least one byte.
    int length = in.length();
    JsArray array = decoder.add(new JsArray());
    decoder.enter();
    boolean integers = false;
    boolean doubles = false;
    boolean others = false;
    for (int i = 0; i < length; i++) {
      int tag = in.tag();
      if (tag == WireTag.HOLE) {
        others = true;
        StoredForm.VALUES.appendHole(array);
        continue;
      }
      integers |= tag == WireTag.INT32 || tag == WireTag.UINT32;
      doubles |= tag == WireTag.DOUBLE;
      others |= tag != WireTag.INT32 && tag != WireTag.UINT32 && tag != WireTag.DOUBLE;
      StoredForm.VALUES.append(array, i, decoder.read(tag));
    }
    if (doubles && !others) {
      if (integers) {
        StoredForm.VALUES.setNumbersAsTheyAre(array);
      } else {
        NumberArrays.unify(StoredForm.VALUES.packed(array));
      }
    }
    int properties = readArrayProperties(decoder, array, WireTag.DENSE_ARRAY_END);
    decoder.expectCount(properties, PROPERTIES);
    decoder.expectCount(length, "elements");
    decoder.leave();
    return array;
  }

  static Object readSparseArray(Decoder decoder) {
    int length = decoder.in().varint();
    JsArray array = decoder.add(JsArray.sparse(Integer.toUnsignedLong(length)));
    decoder.enter();
    int properties = readArrayProperties(decoder, array, WireTag.SPARSE_ARRAY_END);
    decoder.expectCount(properties, PROPERTIES);
    decoder.expectCount(Integer.toUnsignedLong(length), "elements");
    decoder.leave();
    return array;
  }

  private static int readArrayProperties(Decoder decoder, JsArray array, int end) {
    int properties = 0;
    while (decoder.in().peek() != end) {
      String name = decoder.readName(array.properties());
      Object value = decoder.read(decoder.in().tag());
      long index = JsNumbers.arrayIndex(name);
      boolean taken =
          index >= 0
              ? array.has(index)
              : name.equals("length") || array.properties().containsKey(name);
      if (taken) {
        throw decoder.in().fault("property " + name + " of an array twice");
      }
      if (index >= 0) {
        StoredForm.VALUES.append(array, index, value);
      } else {
        array.properties().put(name, value);
      }
      properties++;
    }
    decoder.in().skip(end);
    return properties;
  }

  static Object readMap(Decoder decoder) {
    JsMap map = decoder.add(new JsMap());
    decoder.enter();
    long items = 0;
    while (decoder.in().peek() != WireTag.MAP_END) {
      Object key = key(decoder.read(decoder.in().tag()));
      map.put(key, decoder.read(decoder.in().tag()));
      items += 2;
    }
    decoder.in().skip(WireTag.MAP_END);
    decoder.expectCount(items, "keys and values");
    decoder.leave();
    return map;
  }

  static Object readSet(Decoder decoder) {
    JsSet set = decoder.add(new JsSet());
    decoder.enter();
    long items = 0;
    while (decoder.in().peek() != WireTag.SET_END) {
      set.add(key(decoder.read(decoder.in().tag())));
      items++;
    }
    decoder.in().skip(WireTag.SET_END);
    decoder.expectCount(items, "elements");
    decoder.leave();
    return set;
  }

  /** JavaScript stores a key -0 as 0. */
  private static @Nullable Object key(@Nullable Object key) {
    return key instanceof Double number && number == 0 ? (Object) 0L : key;
  }

  private static JsBuffer readResizableBuffer(Decoder decoder) {
    ByteSource in = decoder.in();
    int length = in.varint();
    long lengthMax = Integer.toUnsignedLong(in.varint());
    if (Integer.compareUnsigned(length, in.remaining()) > 0 || lengthMax < length) {
      throw in.fault(
          "a buffer of "
              + Integer.toUnsignedString(length)
              + " bytes, at most "
              + lengthMax
              + ", with "
              + in.remaining()
              + " bytes left");
    }
    return JsBuffer.resizable(in.bytes(length), lengthMax);
  }

  static JsView readView(Decoder decoder, Object viewed) {
    ByteSource in = decoder.in();
    JsBuffer buffer = viewed instanceof byte[] bytes ? JsBuffer.fixed(bytes) : (JsBuffer) viewed;
    JsView.Kind kind = ViewTag.kind(in.varint8());
    int offset = in.varint();
    int length = in.varint();
    int flags = decoder.hasViewFlags() ? in.varint() : 0;
    boolean tracking = (flags & 1) != 0;
    int bufferBytes = buffer.bytes().length;
    if (kind == null
        || Integer.compareUnsigned(offset, bufferBytes) > 0
        || Integer.compareUnsigned(length, bufferBytes - offset) > 0
        || offset % kind.elementBytes() != 0
        || length % kind.elementBytes() != 0
        || ((flags & 2) != 0) != buffer.isResizable()
        || (tracking && !buffer.isResizable())) {
      throw in.fault("a view that does not fit its buffer of " + bufferBytes + " bytes");
    }
    if (tracking) {
      length = (bufferBytes - offset) / kind.elementBytes() * kind.elementBytes();
    }
    return decoder.add(new JsView(kind, buffer, offset, length, tracking));
  }

  private static JsRegExp readRegExp(Decoder decoder) {
    Object source = readString(decoder);
    int flags = decoder.in().varint();
    try {
      return StoredForm.VALUES.regExp(source, RegExpFlags.letters(flags));
    } catch (IllegalArgumentException e) {
      throw decoder.in().fault("not a regular expression: " + e.getMessage());
    }
  }

  /** Reads type, message, stack and cause, each of which may be missing, in this order. */
  private static Object readPlainError(Decoder decoder) {
    ByteSource in = decoder.in();
    int id = decoder.reserve();
    int tag = in.varint8();
    String name = ErrorNames.nameOfPlainTag(tag);
    if (name != null) {
      tag = in.varint8();
    }
    Object message = null;
    if (tag == 'm') {
      message = readString(decoder);
      tag = in.varint8();
    }
    JsObject properties = new JsObject();
    JsError error =
        StoredForm.VALUES.error(true, name == null ? "Error" : name, message, properties);
    // Recorded before the cause is read, which may be the error itself.
    decoder.set(id, error);
    // Engines up to 2024 wrote the cause before the stack.
    boolean causeFirst = tag == 'c';
    tag = causeFirst ? readCause(decoder, properties) : tag;
    if (tag == 's') {
      properties.put("stack", readString(decoder));
      tag = in.varint8();
    }
    tag = tag == 'c' && !causeFirst ? readCause(decoder, properties) : tag;
    if (tag != '.') {
      throw in.fault("unknown part 0x" + Integer.toHexString(tag) + " of an error");
    }
    return error;
  }

  private static int readCause(Decoder decoder, JsObject properties) {
    decoder.enter();
    properties.put("cause", decoder.read(decoder.in().tag()));
    decoder.leave();
    return decoder.in().varint8();
  }

  private static Object readHostObject(Decoder decoder) {
    int id = decoder.reserve();
    int kind = decoder.in().varint();
    return switch (kind) {
      case HostTag.NATIVE_ERROR -> readErrorWithProperties(decoder, id);
      case HostTag.DOM_EXCEPTION -> readDomException(decoder, id);
      default ->
          throw decoder
              .in()
              .fault("a host object of kind " + kind + ", which only its own runtime can read");
    };
  }

  private static Object readErrorWithProperties(Decoder decoder, int id) {
    decoder.enter();
    int number = decoder.in().varint();
    Object name = number == 0 ? decoder.read(decoder.in().tag()) : ErrorNames.nameOf(number);
    Object message = readString(decoder);
    int tag = decoder.in().tag();
    JsObject properties = new JsObject();
    JsError error = StoredForm.VALUES.error(false, name, message, properties);
    decoder.set(id, error);
    if (tag == WireTag.OBJECT) {
      readProperties(decoder, decoder.add(properties));
    } else {
      // Legal, and means no properties; but the objects in it are numbered.
      decoder.read(tag);
    }
    decoder.leave();
    return error;
  }

  private static Object readDomException(Decoder decoder, int id) {
    JsDomException exception =
        new JsDomException(
            lengthDelimited(decoder), lengthDelimited(decoder), lengthDelimited(decoder));
    decoder.set(id, exception);
    return exception;
  }

  private static String lengthDelimited(Decoder decoder) {
    ByteSource in = decoder.in();
    long length = in.varint64();
    if (length < 0 || length > in.remaining()) {
      throw in.fault("a text of " + Long.toUnsignedString(length) + " bytes");
    }
    return in.utf8String((int) length);
  }

  private JsReader() {}
}
