package dev.holdfast.clone;

import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects as a record. Properties are expected in the order of the components, as the writer
 * leaves them: then a name costs a comparison of bytes. Any other order is found by name.
 */
final class RecordReader extends TypeReader {

  private static final Object ABSENT = new Object();

  private static boolean isAbsent(@Nullable Object value) {
    return IdentityTable.same(value, ABSENT);
  }

  private final RecordShape shape;
  private final JavaType recordType;

  /**
   * Found when first needed, because a record may contain itself. A race finds them twice, which is
   * harmless: readers are interchangeable, and arrays of final objects may be published racily.
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

  private Object readObject(Decoder in) {
    int id = in.reserveUntilRead();
    in.enter();
    TypeReader[] readers = readers();
    @Nullable Object[] values = new Object[readers.length];
    Arrays.fill(values, ABSENT);
    ByteSource bytes = in.in();
    int properties = 0;
    int expected = 0;
    while (!bytes.skip(Tag.OBJECT_END)) {
      int index = component(in, expected);
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
    fillAbsent(values, readers);
    Object created = shape.create(values);
    in.set(id, created);
    return created;
  }

  /** Reads the next name, and returns its component; -1 if the record has none of that name. */
  private int component(Decoder in, int expected) {
    byte[][] names = shape.encodedNames();
    if (expected < names.length && names[expected].length > 0 && in.in().skip(names[expected])) {
      return expected;
    }
    return shape.indexOf(in.readName());
  }

  private @Nullable Object readComponent(Decoder in, TypeReader reader, int index) {
    try {
      return reader.read(in);
    } catch (CloneException e) {
      throw e.within(Paths.property(shape.name(index)));
    }
  }

  private void fillAbsent(@Nullable Object[] values, TypeReader[] readers) {
    for (int i = 0; i < values.length; i++) {
      if (isAbsent(values[i])) {
        if (readers[i].type().isPrimitive()) {
          throw readers[i].mismatch("no property").within(Paths.property(shape.name(i)));
        }
        values[i] = null;
      }
    }
  }

  private TypeReader[] readers() {
    TypeReader[] readers = componentReaders;
    if (readers == null) {
      readers = findReaders();
      componentReaders = readers;
    }
    return readers;
  }

  private TypeReader[] findReaders() {
    Map<TypeVariable<?>, JavaType> variables = new HashMap<>();
    TypeVariable<?>[] parameters = type().getTypeParameters();
    for (int i = 0; i < parameters.length && i < recordType.arguments().size(); i++) {
      variables.put(parameters[i], recordType.argument(i));
    }
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
