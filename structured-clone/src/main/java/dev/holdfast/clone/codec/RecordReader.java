package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.bytes.ByteSource;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.codec.component.Components;
import dev.holdfast.clone.internal.CloneBounds;
import dev.holdfast.clone.internal.IdentityTable;
import dev.holdfast.clone.internal.Paths;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects as a record, or as a class through its constructor. Properties are expected in the
 * order of the components, as the writer writes them: then each name costs one comparison of bytes.
 * In any other order, properties are looked up by name.
 */
final class RecordReader extends TypeReader {

  private static final Object ABSENT = new Object();

  private static boolean isAbsent(@Nullable Object value) {
    return IdentityTable.same(value, ABSENT);
  }

  /**
   * What the components are read with.
   *
   * @param readers a reader for each
   * @param defaults what each is where it is absent; null without {@code @Default}
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Parts(TypeReader[] readers, @Nullable Object[] defaults) {}

  private final Components shape;
  private final JavaType recordType;
  private final TypeReaders types;

  /**
   * Computed when first needed, because a record may contain itself. A race computes it twice,
   * which is harmless: readers are interchangeable, and a record may be published racily.
   */
  private @Nullable Parts parts;

  RecordReader(JavaType type, TypeReaders types) {
    super(type.raw());
    this.recordType = type;
    this.types = types;
    this.shape = Components.of(type.raw());
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    if (shape.holdsUnknown()) {
      return tag == WireTag.NULL || tag == WireTag.UNDEFINED ? null : readUnknown(in, tag);
    }
    return switch (tag) {
      case WireTag.OBJECT -> {
        boolean isTagged = !shape.tags().isEmpty() && in.in().skip(Components.TAG_NAME);
        if (isTagged) {
          requireOwnTag(in.readName());
        }
        yield readObject(in, isTagged ? 1 : 0);
      }
      case WireTag.REFERENCE -> sameObject(in);
      case WireTag.NULL, WireTag.UNDEFINED -> null;
      default -> throw mismatch(tag);
    };
  }

  @Override
  void requireReadable(Set<TypeReader> checked) {
    if (!checked.add(this)) {
      return;
    }
    if (recordType.depth() > CloneBounds.TYPE_DEPTH_MAX) {
      throw new CloneException(
          "type arguments nested more than " + CloneBounds.TYPE_DEPTH_MAX + " deep", type());
    }
    TypeReader[] readers = parts().readers();
    for (int i = 0; i < readers.length; i++) {
      try {
        readers[i].requireReadable(checked);
      } catch (CloneException e) {
        throw e.within(Paths.property(shape.name(i)));
      }
    }
  }

  @Override
  boolean isReadAsCopied(Set<TypeReader> checked) {
    return !checked.add(this)
        || Arrays.stream(parts().readers()).allMatch(each -> each.isReadAsCopied(checked));
  }

  /** Reads an object whose first property has named this class. */
  Object readTagged(Decoder in) {
    return readObject(in, 1);
  }

  /** Returns whether this reads what is of no known class. */
  boolean isFallback() {
    return shape.isFallback();
  }

  /** Returns whether a value keeps what it is of no known class. */
  boolean holdsUnknown() {
    return shape.holdsUnknown();
  }

  /** Reads a value of a class that nobody knows here. */
  Object readUnknown(Decoder in, int tag) {
    int id = in.last() + 1;
    Object unknown = in.read(tag);
    Object created =
        shape.create(shape.count() == 0 ? new Object[0] : new @Nullable Object[] {unknown});
    if (tag == WireTag.OBJECT) {
      in.set(id, created);
    }
    return created;
  }

  private void requireOwnTag(String name) {
    if (!shape.tags().contains(name)) {
      throw mismatch("a value of its sealed type that is a \"" + Paths.shown(name) + "\"");
    }
  }

  private Object readObject(Decoder in, int propertiesBefore) {
    int id = in.reserveUntilRead();
    in.enter();
    Parts known = parts();
    TypeReader[] readers = known.readers();
    @Nullable Object[] values = new Object[readers.length];
    Arrays.fill(values, ABSENT);
    ByteSource bytes = in.in();
    int properties = propertiesBefore;
    int expected = 0;
    List<String> unknown = List.of();
    while (!bytes.skip(WireTag.OBJECT_END)) {
      int index = isNext(bytes, expected) ? expected : -1;
      if (index < 0) {
        String name = in.readName();
        index = shape.indexOf(name);
        if (index < 0 && !shape.ignores(name)) {
          unknown = added(unknown, name);
        }
      }
      if (index < 0) {
        in.read();
      } else {
        if (!isAbsent(values[index])) {
          throw bytes.fault("property " + shape.name(index) + " twice");
        }
        values[index] = readComponent(in, readers[index], index);
        expected = index + 1;
      }
      properties++;
    }
    in.expectCount(properties, "properties");
    in.leave();
    @Nullable BitSet defaulted = fillAbsent(values, known, unknown, in.isPassed());
    Object created = defaulted == null ? shape.create(values) : shape.create(values, defaulted);
    in.set(id, created);
    return created;
  }

  /** Returns whether the name of a component comes next, and moves past it if so. */
  private boolean isNext(ByteSource bytes, int expected) {
    byte[][] names = shape.encodedNames();
    return expected < names.length && names[expected].length > 0 && bytes.skip(names[expected]);
  }

  private static List<String> added(List<String> names, String name) {
    List<String> more = names.isEmpty() ? new ArrayList<>() : names;
    if (more.size() < CloneBounds.NAMES_SHOWN_MAX) {
      more.add(Paths.property(name));
    }
    return more;
  }

  private @Nullable Object readComponent(Decoder in, TypeReader reader, int index) {
    try {
      return reader.read(in);
    } catch (CloneException e) {
      throw e.within(Paths.property(shape.name(index)));
    }
  }

  /** Gives absent components their values; returns those that get them from the class, or null. */
  private @Nullable BitSet fillAbsent(
      @Nullable Object[] values, Parts known, List<String> unknown, boolean drops) {
    if (!unknown.isEmpty() && !(drops && absent(values).isEmpty())) {
      throw unknown(values, unknown);
    }
    @Nullable BitSet defaulted = null;
    for (int i = 0; i < values.length; i++) {
      if (isAbsent(values[i])) {
        Object standard = known.defaults()[i];
        TypeReader reader = known.readers()[i];
        if (standard == null && shape.hasDefault(i)) {
          defaulted = defaulted == null ? new BitSet() : defaulted;
          defaulted.set(i);
          continue;
        }
        if (standard == null && reader.type().isPrimitive()) {
          throw reader
              .mismatch("no property; give a new component its value in old ones by @Default")
              .within(Paths.property(shape.name(i)));
        }
        values[i] = standard != null ? standard : reader.ofAbsent();
      }
    }
    return defaulted;
  }

  /**
   * Reports a value that has a property that the record lacks: it would be lost when the value is
   * written again. If the value also lacks a component, most likely that was renamed after the
   * value was written, and null would be a silent loss of data.
   */
  private CloneException unknown(@Nullable Object[] values, List<String> unknown) {
    List<String> absent = absent(values);
    String names = String.join(", ", unknown);
    return new CloneException(
        absent.isEmpty()
            ? "the value has "
                + names
                + ", which "
                + shape.described()
                + " lacks, and which would be lost: name a component that was removed in @Ignored"
                + " of the class, give one that was renamed its old name by @Alias, or read the"
                + " value with the version of the class that wrote it"
            : "the value lacks "
                + String.join(", ", absent)
                + " of "
                + shape.described()
                + " and has "
                + names
                + ", which it lacks: a component that was renamed would be lost; give the component"
                + " its old name by @Alias, name a component that was removed in @Ignored of the"
                + " class, or read the value as JsObject and write it again",
        type());
  }

  /** The components without a default that a value lacks. */
  private List<String> absent(@Nullable Object[] values) {
    List<String> absent = List.of();
    for (int i = 0; i < values.length; i++) {
      if (isAbsent(values[i]) && shape.defaultText(i) == null && !shape.hasDefault(i)) {
        absent = added(absent, shape.name(i));
      }
    }
    return absent;
  }

  private Parts parts() {
    Parts known = parts;
    if (known == null) {
      known = findParts();
      parts = known;
    }
    return known;
  }

  private Parts findParts() {
    Map<TypeVariable<?>, JavaType> variables = recordType.variables();
    TypeReader[] readers = new TypeReader[shape.count()];
    @Nullable Object[] defaults = new @Nullable Object[readers.length];
    for (int i = 0; i < readers.length; i++) {
      try {
        readers[i] = types.of(JavaType.of(shape.type(i), variables));
        String text = shape.defaultText(i);
        defaults[i] = text == null ? null : readers[i].ofName(text);
      } catch (CloneException e) {
        throw e.within(Paths.property(shape.name(i)));
      }
    }
    return new Parts(readers, defaults);
  }
}
