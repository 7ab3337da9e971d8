package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsString;
import dev.holdfast.clone.codec.PassedType.PassedClasses;
import dev.holdfast.clone.codec.bytes.ByteSource;
import dev.holdfast.clone.codec.bytes.JsNumbers;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.internal.CloneBounds;
import dev.holdfast.clone.internal.Latin1;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one value, without a type or for a {@link TypeReader}.
 *
 * <p>Objects are numbered as they begin, and registered as soon as they exist, so that references
 * from within find them. Collections exist at once. A record exists only when all its components
 * have been read: until then its number is taken by {@link #UNFINISHED}.
 *
 * <p>Owned by the thread that decodes.
 */
final class Decoder {

  private static final Unfinished UNFINISHED = new Unfinished();

  /** The class of the mark, so that no value can be mistaken for it. */
  private static final class Unfinished {}

  private final ByteSource in;
  private final boolean exact;
  private boolean viewFlags;

  /** Whether the value was passed, and not stored. */
  private boolean isPassed;

  private @Nullable Object[] objects = {};
  private int count;
  private int depth;

  /** How many keys of hashed Java collections are being read, one within the other. */
  private int keyDepth;

  /**
   * Creates a decoder.
   *
   * @param exact whether a string that is stored longer than need be is read as {@link JsString}
   */
  Decoder(ByteSource in, boolean exact) {
    this.in = in;
    this.exact = exact;
  }

  /**
   * Reads the header; bytes without a header are of the oldest version.
   *
   * @return the version
   */
  int readHeader() {
    if (in.remaining() == 0) {
      throw in.fault("no bytes");
    }
    int version = WireTag.VERSION_MIN;
    if (in.skip(WireTag.VERSION)) {
      version = in.varint();
      if (version < WireTag.VERSION_MIN || version > WireTag.VERSION_MAX) {
        throw in.fault(
            "version "
                + Integer.toUnsignedString(version)
                + " of the format; versions "
                + WireTag.VERSION_MIN
                + " to "
                + WireTag.VERSION_MAX
                + " can be read");
      }
    }
    viewFlags = version >= WireTag.VERSION_VIEW_FLAGS;
    return version;
  }

  /**
   * Also reads views with flags in version 13: some engines wrote them in this form for a while.
   */
  void expectViewFlags() {
    viewFlags = true;
  }

  /**
   * Reads a value that was passed, perhaps by another version of the program, and was not stored:
   * components that a class lacks are passed over, as nobody writes them again, and classes may be
   * marked.
   */
  void readPassed() {
    isPassed = true;
    in.allowMarks();
  }

  boolean isPassed() {
    return isPassed;
  }

  ByteSource in() {
    return in;
  }

  boolean hasViewFlags() {
    return viewFlags;
  }

  boolean isExact() {
    return exact;
  }

  /** Reads any value as its natural Java type. */
  @Nullable Object read() {
    return read(in.tag());
  }

  /** Reads any value whose tag has been read. */
  @Nullable Object read(int tag) {
    int mark = isPassed ? in.takeMark() : PassedClasses.NONE;
    return mark == PassedClasses.NONE ? readNatural(tag) : readMarked(mark, tag);
  }

  private @Nullable Object readMarked(int mark, int tag) {
    if ((mark & PassedClasses.OPTIONAL) != 0) {
      int content = mark & ~PassedClasses.OPTIONAL;
      return Optional.ofNullable(
          tag == WireTag.NULL
              ? null
              : content == PassedClasses.NONE ? readNatural(tag) : readMarked(content, tag));
    }
    TypeReader marked = PassedClasses.reader(mark);
    if (marked == null) {
      throw in.fault("no class has the mark " + mark);
    }
    return marked.read(this, tag);
  }

  private @Nullable Object readNatural(int tag) {
    // Collections are separate from the rest, so that there are few and small frames between two
    // levels.
    return switch (tag) {
      case WireTag.OBJECT -> JsReader.readProperties(this, add(new JsObject()));
      case WireTag.DENSE_ARRAY -> JsReader.readDenseArray(this);
      case WireTag.SPARSE_ARRAY -> JsReader.readSparseArray(this);
      case WireTag.MAP -> JsReader.readMap(this);
      case WireTag.SET -> JsReader.readSet(this);
      default -> readOther(tag);
    };
  }

  private @Nullable Object readOther(int tag) {
    Object value = JsReader.readOther(this, tag);
    // A view does not begin with its own tag: it follows its buffer, or a reference to the buffer.
    if ((value instanceof byte[] || value instanceof JsBuffer) && in.skip(WireTag.VIEW)) {
      return JsReader.readView(this, value);
    }
    return value;
  }

  /** Numbers an object that exists. */
  <T> T add(T object) {
    int id = reserve();
    objects[id] = object;
    return object;
  }

  /** Reserves a number for an object that will exist before anything may refer to it. */
  int reserve() {
    if (count == objects.length) {
      objects = Arrays.copyOf(objects, Math.max(8, 2 * count));
    }
    return count++;
  }

  /** Reserves a number for a Java object that will exist only when its content does. */
  int reserveUntilRead() {
    int id = reserve();
    objects[id] = UNFINISHED;
    return id;
  }

  /** Records the object of a number, or another Java object for it. */
  void set(int id, Object object) {
    assert id >= 0 && id < count;
    objects[id] = object;
  }

  /** Returns the number of the object recorded last. */
  int last() {
    return count - 1;
  }

  /** Reads the number after the tag of a reference. */
  Object reference() {
    int id = in.varint();
    if (id < 0 || id >= count) {
      throw in.fault(
          "a reference to object " + Integer.toUnsignedString(id) + " of " + count + " so far");
    }
    Object object = objects[id];
    if (object == null) {
      throw in.fault("a reference to object " + id + " before its content");
    }
    if (object instanceof Unfinished) {
      throw new CloneException(
          "a reference to what is still being read: cycles go through collections only, not"
              + " through records and arrays",
          null);
    }
    if (keyDepth > 0 && !(object instanceof Instant || object instanceof Date)) {
      // Hashing a key that contains itself never ends, and hashing a key that contains another one
      // twice, nested thirty times, practically never ends.
      throw new CloneException(
          "a reference within an element of a Set or a key of a Map; read it as JsSet or JsMap",
          object.getClass());
    }
    return object;
  }

  void enterKey() {
    keyDepth++;
  }

  void leaveKey() {
    assert keyDepth > 0;
    keyDepth--;
  }

  void enter() {
    if (++depth > CloneBounds.DEPTH_MAX) {
      throw in.fault("nested more than " + CloneBounds.DEPTH_MAX + " deep");
    }
  }

  void leave() {
    assert depth > 0;
    depth--;
  }

  /** Reads the name of a property of an object that keeps the form in which it was stored. */
  String readName(JsObject object) {
    boolean wide = exact && in.peek() == WireTag.TWO_BYTE_STRING;
    String name = readName();
    if (wide && Latin1.covers(name)) {
      StoredForm.VALUES.addWideName(object, name);
    }
    return name;
  }

  /** Reads the name of a property; numbers become text, as in JavaScript. */
  String readName() {
    int tag = in.tag();
    return switch (tag) {
      case WireTag.ONE_BYTE_STRING -> in.oneByteString();
      case WireTag.TWO_BYTE_STRING -> in.twoByteString();
      case WireTag.UTF8_STRING -> in.utf8String();
      case WireTag.INT32 -> Integer.toString(in.int32());
      case WireTag.UINT32 -> Integer.toUnsignedString(in.varint());
      case WireTag.DOUBLE -> JsNumbers.toString(in.float64());
      default -> throw in.fault(WireTag.name(tag) + " as the name of a property");
    };
  }

  /** Reads the count at the end of a collection and compares it. */
  void expectCount(long expected, String what) {
    int read = in.varint();
    if (read != (int) expected) {
      throw in.fault(
          Integer.toUnsignedString(read) + " " + what + " announced, " + expected + " read");
    }
  }
}
