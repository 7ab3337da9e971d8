package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.bytes.ByteSource;
import dev.holdfast.clone.codec.bytes.Tag;
import dev.holdfast.clone.internal.CloneBounds;
import dev.holdfast.clone.internal.IdentityTable;
import dev.holdfast.clone.internal.Paths;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects as a record. Properties are expected in the order of the components, as the writer
 * writes them: then each name costs one comparison of bytes. In any other order, properties are
 * looked up by name.
 */
final class RecordReader extends TypeReader {

  private static final Object ABSENT = new Object();

  private static boolean isAbsent(@Nullable Object value) {
    return IdentityTable.same(value, ABSENT);
  }

  private final RecordShape shape;
  private final JavaType recordType;

  /**
   * Computed when first needed, because a record may contain itself. A race computes them twice,
   * which is harmless: readers are interchangeable, and arrays of final objects may be published
   * racily.
   */
  private TypeReader @Nullable [] componentReaders;

  RecordReader(JavaType type) {
    super(type.raw());
    this.recordType = type;
    this.shape = RecordShape.of(type.raw());
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    return switch (tag) {
      case Tag.OBJECT -> readObject(in);
      case Tag.REFERENCE -> sameObject(in);
      case Tag.NULL, Tag.UNDEFINED -> null;
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
    TypeReader[] readers = readers();
    for (int i = 0; i < readers.length; i++) {
      try {
        readers[i].requireReadable(checked);
      } catch (CloneException e) {
        throw e.within(Paths.property(shape.name(i)));
      }
    }
  }

  private Object readObject(Decoder in) {
    int id = in.reserveUntilRead();
    in.enter();
    TypeReader[] readers = readers();
    @Nullable Object[] values = new Object[readers.length];
    Arrays.fill(values, ABSENT);
    ByteSource bytes = in.in();
    int properties = 0;
    int expected = 0;
    List<String> unknown = List.of();
    while (!bytes.skip(Tag.OBJECT_END)) {
      int index = isNext(bytes, expected) ? expected : -1;
      if (index < 0) {
        String name = in.readName();
        index = shape.indexOf(name);
        if (index < 0) {
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
    fillAbsent(values, readers, unknown);
    Object created = shape.create(values);
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

  private void fillAbsent(@Nullable Object[] values, TypeReader[] readers, List<String> unknown) {
    for (int i = 0; i < values.length; i++) {
      if (isAbsent(values[i])) {
        if (!unknown.isEmpty()) {
          throw renamed(values, unknown);
        }
        if (readers[i].type().isPrimitive()) {
          throw readers[i].mismatch("no property").within(Paths.property(shape.name(i)));
        }
        // The content of an Optional; null makes it empty. It is not an Optional of an empty list.
        values[i] = shape.isOptional(i) ? null : readers[i].ofAbsent();
      }
    }
  }

  /**
   * Reports a value that has a property that the record lacks, and lacks a component of the record:
   * most likely a component was renamed after the value was written, and null would be a silent
   * loss of data.
   */
  private CloneException renamed(@Nullable Object[] values, List<String> unknown) {
    List<String> absent = List.of();
    for (int i = 0; i < values.length; i++) {
      if (isAbsent(values[i])) {
        absent = added(absent, shape.name(i));
      }
    }
    return new CloneException(
        "the value lacks "
            + String.join(", ", absent)
            + " of record "
            + type().getTypeName()
            + " and has "
            + String.join(", ", unknown)
            + ", which the record lacks: a component that was renamed would be lost; give the"
            + " component its old name by @Alias, keep a component of the old name beside it, or"
            + " read the value as JsObject and write it again",
        type());
  }

  private TypeReader[] readers() {
    TypeReader[] readers = componentReaders;
    if (readers == null) {
      readers = findReaders();
      componentReaders = readers;
    }
    return readers;
  }

  private Map<TypeVariable<?>, JavaType> variables() {
    Map<TypeVariable<?>, JavaType> variables = new HashMap<>();
    TypeVariable<?>[] parameters = type().getTypeParameters();
    for (int i = 0; i < parameters.length && i < recordType.arguments().size(); i++) {
      variables.put(parameters[i], recordType.argument(i));
    }
    return variables;
  }

  private TypeReader[] findReaders() {
    Map<TypeVariable<?>, JavaType> variables = variables();
    TypeReader[] readers = new TypeReader[shape.count()];
    for (int i = 0; i < readers.length; i++) {
      try {
        readers[i] = TypeReaders.of(JavaType.of(shape.componentType(i), variables));
      } catch (CloneException e) {
        throw e.within(Paths.property(shape.name(i)));
      }
    }
    return readers;
  }
}
